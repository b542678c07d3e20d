extension ActionTable {
    /// What can be asked for on leaving, by whose engine it is.
    static let leaving =
        [
            entry(
                .quitNow, .quit, [.character("q"), .control("c")], "quit; they go on next time", "quit now"),
            entry(
                .quitNow, .quitOrDetach, [.character("q"), .control("c")], "quit; they go on next time",
                "quit now"),
            entry(
                .detach, .quitOrDetach, [.character("d")], "quit; they go on in the background",
                "leave them to a background engine"),
            entry(
                .quitNow, .leave, [.character("q"), .control("c")], "leave; they go on",
                "leave; the engine goes on"),
            entry(
                .stopEngine, .leave, [.character("s")], "stop the engine; they go on next time",
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
