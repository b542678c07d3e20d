/// The texts about an upload whose outcome is unknown: its whole request was sent and got no response.
struct Uncertainty {
    let actions: ActionTable

    /// The texts for a row, the longest first.
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

    static func next(retry: String, remove: String) -> String {
        "check the server; \(retry) sends it again (maybe twice), \(remove) removes it"
    }

    private var retry: String { key(of: .retry) }
    private var remove: String { key(of: .remove) }

    /// Returns the action's key, else its name, for which the user can search in the help.
    private func key(of action: Action) -> String { actions.label(of: action) ?? action.name }
}
