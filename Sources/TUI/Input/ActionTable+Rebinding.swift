/// The reason why a configuration's key bindings are refused.
package struct RebindingError: Error, Hashable, Sendable {
    /// The action's name as the configuration writes it, even if no action has this name.
    package let action: String
    /// The expected value and the reason: the end of a sentence that begins with "expected".
    package let expected: String
}

extension ActionTable {
    /// The keys that stay, so that the user can always leave a dialog and suspend the program.
    private static let fixed: Set<Key> = [.control("c"), .control("z")]

    /// Returns the table with the key labels for the actions of these `Entry.name`s.
    /// - Throws: `RebindingError` for an unknown name or key, a key that cannot be bound, and `cancel` or `quit`
    ///   without a key. Also for two actions of one context with the same key, and for a key that both opens and
    ///   confirms a dialog.
    package func rebinding(_ changes: [String: [String]]) throws(RebindingError) -> ActionTable {
        var entries = entries
        let changes = changes.sorted { $0.key < $1.key }
        for (name, labels) in changes {
            guard let index = entries.firstIndex(where: { $0.name == name }) else { throw stranger(name) }
            entries[index].keys = try Self.keys(labels, for: entries[index])
        }
        let table = ActionTable(entries)
        let changed = Set(changes.map(\.key))
        for context in Context.allCases { try table.checkConflicts(in: context, changed: changed) }
        try table.checkConfirmation(changed: changed)
        return table
    }

    /// The names of keys without a visible character, in small letters. Capital letters are accepted too.
    package static var keyNames: [String] { Key.names.map { $0.name.lowercased() }.sorted() }

    private static func keys(_ labels: [String], for entry: Entry) throws(RebindingError) -> [Key] {
        func error(_ expected: String) -> RebindingError {
            RebindingError(action: entry.name, expected: expected)
        }
        if labels.isEmpty, entry.action == .cancel || entry.action == .quit {
            throw error("at least one key: \(entry.name) is the way out")
        }
        var keys: [Key] = []
        for label in labels {
            guard let key = Key(label: label) else {
                throw error(
                    "keys such as x, space, Ctrl-A, Alt-x, Shift-Up, PgDn, F5; there is no \(label)")
            }
            if let reason = reasonAgainst(key, for: entry) {
                throw error("a key that can be bound: \(key.label) \(reason)")
            }
            if !keys.contains(key) { keys.append(key) }
        }
        return keys + entry.keys.filter { fixed.contains($0) && !keys.contains($0) }
    }

    /// Returns the end of a sentence about a key that cannot be bound.
    private static func reasonAgainst(_ key: Key, for entry: Entry) -> String? {
        if fixed.contains(key), !entry.keys.contains(key) {
            return key == .control("z") ? "always suspends" : "always leaves"
        }
        if let other = key.arrivesAs { return "reaches ferry as \(other)" }
        return entry.context.takesText && key.isCharacter ? "is text there" : nil
    }

    private func stranger(_ name: String) -> RebindingError {
        let names = entries.map(\.name)
        let action = name.split(separator: ".").last ?? ""
        let near = names.filter { $0.split(separator: ".").last.map { $0 == action } ?? false }
        let nearest = near.isEmpty ? Suggestions.nearest(to: name, among: names).map { [$0] } ?? [] : near
        let suggestion = nearest.isEmpty ? "" : " (\(Suggestions.question(nearest)))"
        return RebindingError(
            action: name, expected: "the name of an action\(suggestion); `ferry config --keys` lists all")
    }

    private func checkConflicts(in context: Context, changed: Set<String>) throws(RebindingError) {
        var owners: [Key: Entry] = [:]
        for entry in entries(in: context) {
            for key in entry.keys {
                guard let owner = owners.updateValue(entry, forKey: key) else { continue }
                throw Self.clash(key, entry, owner, changed, expected: "keys that nothing else has there")
            }
        }
    }

    /// Checks that a key that opens a question does not also confirm it: a key that is held down repeats.
    private func checkConfirmation(changed: Set<String>) throws(RebindingError) {
        let questions: [(Action, Action, Context)] = [
            (.remove, .removeNow, .removal), (.undo, .confirm, .undo),
        ]
        for (action, confirming, context) in questions {
            guard let confirmation = entry(for: confirming, in: context) else { continue }
            for entry in entries where entry.action == action {
                guard let key = entry.keys.first(where: confirmation.keys.contains) else { continue }
                throw Self.clash(
                    key, entry, confirmation, changed,
                    expected: "other keys to ask for something than to answer the question")
            }
        }
    }

    /// Returns the error for two actions that share a key. It names one whose keys were changed.
    private static func clash(
        _ key: Key, _ first: Entry, _ second: Entry, _ changed: Set<String>, expected: String
    ) -> RebindingError {
        let (named, other) = changed.contains(first.name) ? (first, second) : (second, first)
        return RebindingError(
            action: named.name,
            expected:
                "\(expected): \(key.label) is bound to \(other.name) too; give that others in keys.\(other.name)"
        )
    }
}
