/// What is said of an upload that went out whole and got no answer: what happened, and what the keys do now.
enum Uncertainty {
    /// The longest first: the first that fits is shown.
    static var inRow: [String] {
        [
            "sent whole, no answer: \(retry) sends it again (maybe twice), \(remove) removes it",
            "sent whole, no answer; \(retry) again, \(remove) remove", "sent whole, no answer", "no answer",
        ]
    }

    static var inNote: [String] {
        [
            "all of it was sent and no answer came: \(retry) sends it again (it may be there twice), \(remove) removes it",
            "sent whole, no answer: \(retry) sends it again (maybe twice), \(remove) removes it",
        ]
    }

    static let happened = "all of it was sent and no answer came: the server may have it or not"

    static var next: String { next(retry: retry, remove: remove) }

    static func next(retry: String, remove: String) -> String {
        "look at the server; \(retry) sends it again (maybe twice), \(remove) removes it"
    }

    private static var retry: String { key(of: .retry) }
    private static var remove: String { key(of: .remove) }

    private static func key(of action: Action) -> String {
        ActionTable.entry(for: action, in: .list)?.keys.first?.label ?? "?"
    }
}
