extension ActionTable {
    /// The actions that the questions on leaving offer. They depend on the owner of the engine.
    static let leaving =
        [
            entry(
                .quitNow, .quit, [.character("q"), .control("c")], "quit; they resume next time", "quit now"),
            entry(
                .quitNow, .quitOrDetach, [.character("q"), .control("c")], "quit; they resume next time",
                "quit now"),
            entry(
                .detach, .quitOrDetach, [.character("d")], "detach; they continue in the background",
                "leave them to a background engine"),
            entry(
                .quitNow, .leave, [.character("q"), .control("c")], "detach; they continue",
                "detach; the engine continues"),
            entry(
                .stopEngine, .leave, [.character("s")], "stop the engine; they resume next time",
                "stop the engine too"),
        ]
        + [Context.quit, .quitOrDetach, .leave].flatMap { context in
            [
                entry(
                    .quitWhenIdle, context, [.character("w")],
                    context == .leave ? "stop it when these are done" : "quit when these are done",
                    "finish the running ones first"),
                entry(.cancel, context, [.escape, .enter], "stay (default)", "stay"),
            ]
        }

    private static func entry(
        _ action: Action, _ context: Context, _ keys: [Key], _ hint: String, _ help: String
    ) -> Entry {
        Entry(action: action, context: context, keys: keys, hint: hint, help: help)
    }
}
