enum SnapshotFile {
    static let current = "queue.json"
    static let previous = "queue.prev.json"
    static let names: Set<String> = [current, previous]

    /// Returns a random name such as `.tmp.1f3a9c02`. `Recovery` deletes the files that an interrupted process leaves.
    static func temporary() -> String {
        temporaryPrefix + String(UInt64.random(in: .min ... .max), radix: 16)
    }
    static let temporaryPrefix = ".tmp."
}

enum JournalFile {
    static func name(_ generation: Int) -> String { "journal.\(generation).jsonl" }

    static func generation(_ name: String) -> Int? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "journal", parts[2] == "jsonl", let generation = Int(parts[1]),
            self.name(generation) == name, (1...Int(1) << 53).contains(generation)
        else { return nil }
        return generation
    }
}
