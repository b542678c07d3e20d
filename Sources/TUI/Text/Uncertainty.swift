/// What is said of an upload that went out whole and got no answer: what happened, and what the keys do now.
struct Uncertainty {
    let actions: ActionTable

    /// The longest first: the first that fits is shown.
    var inRow: [String] {
        [
            "sent whole, no answer: \(retry) sends it again (maybe twice), \(remove) removes it",
            "sent whole, no answer; \(retry) again, \(remove) remove", "sent whole, no answer", "no answer",
        ]
    }

    var inNote: [String] {
        [
            "all of it was sent and no answer came: \(retry) sends it again (it may be there twice), \(remove) removes it",
            "sent whole, no answer: \(retry) sends it again (maybe twice), \(remove) removes it",
        ]
    }

    static let happened = "all of it was sent and no answer came: the server may have it or not"

    var next: String { Self.next(retry: retry, remove: remove) }

    /// - Parameter retry: How a person asks for it here.
    static func next(retry: String, remove: String) -> String {
        "look at the server; \(retry) sends it again (maybe twice), \(remove) removes it"
    }

    private var retry: String { key(of: .retry) }
    private var remove: String { key(of: .remove) }

    /// What has no key can still be found in the help by its name.
    private func key(of action: Action) -> String { actions.label(of: action) ?? action.name }
}
