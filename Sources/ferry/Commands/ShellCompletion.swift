import ArgumentParser
import FerryProtocols
import FerryUploads

/// Completes destinations and numbers of uploads in a shell. Changes nothing and prints no errors.
enum ShellCompletion {
    static let destinations = CompletionKind.custom { words, _, _ in destinations(for: words) }
    static let uploads = CompletionKind.custom { words, index, _ in uploads(for: words, at: index) }

    /// The maximum total size of the queue's files: about 50,000 uploads, which are read in a tenth of a second.
    private static let longestQueue: ByteCount = 20 << 20

    static func destinations(for words: [String]) -> [String] {
        let configuration = try? options(in: words)?.loadConfiguration()
        return configuration.map { $0.destinations.keys.sorted() } ?? []
    }

    /// Returns the completions of the word at `index`: the uploads whose state suits the command, except those typed
    /// already. Returns none if the queue cannot be read, or is larger than `longestQueue`.
    static func uploads(for words: [String], at index: Int) -> [String] {
        guard let folder = options(in: words)?.stateFolder,
            let directory = try? StateDirectory(reading: folder)
        else { return [] }
        let inspection = StateInspection(directory)
        guard let size = try? inspection.size(), size <= longestQueue, let reading = try? inspection.read()
        else { return [] }
        let command = words.dropFirst().first
        let numbers = reading.recovered.uploads.filter { isMeant($0.state, by: command) }.map { "\($0.id)" }
        let given = Set(words.indices.filter { $0 != index }.map { words[$0] })
        return (numbers + (command == "move" ? QueueMove.allCases.map(\.rawValue) : []))
            .filter { !given.contains($0) }
    }

    private static func isMeant(_ state: Upload.State, by command: String?) -> Bool {
        switch (command, state) {
        case ("pause", .queued), ("pause", .running), ("pause", .waiting): true
        case ("resume", .paused): true
        case ("retry", .failed), ("retry", .held), ("retry", .waiting): true
        case ("pause", _), ("resume", _), ("retry", _): false
        case ("wait", .done): false
        default: true
        }
    }

    /// Reads `--config`, `--state` and `--state-dir` from the typed words, which still contain quotes.
    private static func options(in words: [String]) -> GlobalOptions? {
        let named = ["--config", "--state", "--state-dir"].flatMap { name in
            guard let index = words.lastIndex(of: name), words.indices.contains(index + 1) else {
                return words.filter { $0.hasPrefix(name + "=") }
            }
            return [name, words[index + 1]]
        }
        return try? GlobalOptions.parse(named)
    }
}
