/// Why keys cannot be bound as a configuration wants it.
public struct RebindingMistake: Error, Hashable, Sendable {
    /// The action in whose keys it lies, as it was written.
    public let action: String
    /// What should be there and why it is not; completes "expected …".
    public let expected: String
}

extension ActionTable {
    /// Always what they are, so that there is a way out of everything. They stay with the actions that have them.
    private static let fixed: Set<Key> = [.control("c"), .control("z")]

    /// The table with other keys for some actions.
    ///
    /// - Parameter changes: The keys, as labels, that take the place of an action's own, by the names of entries.
    /// - Throws: `RebindingMistake` for names and keys that do not exist, keys that cannot be bound, keys that two
    ///   actions of one context would have, and where no way out would be left.
    public func rebinding(_ changes: [String: [String]]) throws(RebindingMistake) -> ActionTable {
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

    /// What keys are called that are no characters, in small letters; capital ones are taken too.
    package static var keyNames: [String] { Key.labels }

    private static func keys(_ labels: [String], for entry: Entry) throws(RebindingMistake) -> [Key] {
        if labels.isEmpty, entry.action == .cancel || entry.action == .quit {
            throw RebindingMistake(
                action: entry.name, expected: "at least one key: \(entry.name) is the way out")
        }
        var keys: [Key] = []
        for label in labels {
            guard let key = Key(label: label) else {
                throw RebindingMistake(
                    action: entry.name,
                    expected: "keys such as x, space, Ctrl-A, Alt-x, Shift-Up, PgDn, F5; there is no \(label)"
                )
            }
            if let reason = reasonAgainst(key, for: entry) {
                throw RebindingMistake(
                    action: entry.name, expected: "a key that can be bound: \(key.label) \(reason)")
            }
            if !keys.contains(key) { keys.append(key) }
        }
        return keys + entry.keys.filter { fixed.contains($0) && !keys.contains($0) }
    }

    /// Completes "Ctrl-Z …"; nil if the key can be bound.
    private static func reasonAgainst(_ key: Key, for entry: Entry) -> String? {
        if fixed.contains(key), !entry.keys.contains(key) {
            return key == .control("z") ? "always suspends" : "always leaves"
        }
        if let other = key.arrivesAs { return "reaches ferry as \(other)" }
        return entry.context.takesText && key.isCharacter ? "is text there" : nil
    }

    private func stranger(_ name: String) -> RebindingMistake {
        let names = entries.map(\.name)
        let action = name.split(separator: ".").last ?? ""
        let near = names.filter { $0.split(separator: ".").last.map { $0 == action } ?? false }
        let nearest = near.isEmpty ? Spelling.nearest(to: name, among: names).map { [$0] } ?? [] : near
        let suggestion = nearest.isEmpty ? "" : "perhaps \(nearest.joined(separator: " or ")); "
        return RebindingMistake(
            action: name, expected: "the name of an action; \(suggestion)`ferry config --keys` lists all")
    }

    private func checkConflicts(in context: Context, changed: Set<String>) throws(RebindingMistake) {
        var owners: [Key: Entry] = [:]
        for entry in entries(in: context) {
            for key in entry.keys {
                guard let owner = owners.updateValue(entry, forKey: key) else { continue }
                throw Self.clash(key, entry, owner, changed, expected: "keys that nothing else has there")
            }
        }
    }

    /// A key that is held down must not answer the question that it has opened.
    private func checkConfirmation(changed: Set<String>) throws(RebindingMistake) {
        try checkConfirmation(of: .remove, by: entry(for: .removeNow, in: .removal), changed: changed)
        try checkConfirmation(of: .undo, by: entry(for: .confirm, in: .undo), changed: changed)
    }

    private func checkConfirmation(
        of action: Action, by confirmation: Entry?, changed: Set<String>
    ) throws(RebindingMistake) {
        guard let confirmation else { return }
        for entry in entries where entry.action == action {
            guard let key = entry.keys.first(where: confirmation.keys.contains) else { continue }
            throw Self.clash(
                key, entry, confirmation, changed,
                expected: "other keys to ask for something than to answer the question")
        }
    }

    /// Told of the action whose keys were changed.
    private static func clash(
        _ key: Key, _ first: Entry, _ second: Entry, _ changed: Set<String>, expected: String
    ) -> RebindingMistake {
        let (named, other) = changed.contains(first.name) ? (first, second) : (second, first)
        return RebindingMistake(
            action: named.name,
            expected:
                "\(expected): \(key.label) is bound to \(other.name) too; give that others in keys.\(other.name)"
        )
    }
}
