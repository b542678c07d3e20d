/// The files of the history: `history.jsonl` is the newest, `history.1.jsonl` the next older one, and so on.
struct HistoryFiles {
    /// The maximum size of a file in bytes, and the number of older files to keep.
    struct Limits: Hashable, Sendable {
        var fileSize = 4 << 20
        var olderFiles = 4
    }

    let files: any StateFiles
    let limits: Limits
    private var newest = Newest.closed

    private enum Newest {
        case closed
        case open(file: any StateFile, length: Int)
        /// The last sync failed. Reading the file would not show its content on disk, only the kernel's cached copy.
        case suspect
    }

    init(_ files: any StateFiles, limits: Limits = Limits()) {
        self.files = files
        self.limits = limits
    }

    /// Returns the name of the history file with `age` newer ones.
    static func name(_ age: Int) -> String { age == 0 ? "history.jsonl" : "history.\(age).jsonl" }

    /// Returns whether `count` more bytes fit into the newest file; false if the file cannot be opened.
    mutating func fits(_ count: Int) -> Bool {
        guard let length = try? opened().length else { return false }
        return length + count <= limits.fileSize
    }

    /// Appends whole lines to the newest file, or to a new one if they do not fit. An error leaves no part of them.
    mutating func append(_ lines: [UInt8]) throws(SystemCallError) {
        var (file, length) = try opened()
        if length > 0, length + lines.count > limits.fileSize {
            newest = .closed
            try rotate()
            (file, length) = try opened()
        }
        do throws(SystemCallError) {
            try file.append(lines)
            newest = .open(file: file, length: length + lines.count)
        } catch {
            try? file.truncate(to: length)
            // The next opening checks whether the end of the file is complete.
            newest = .closed
            throw error
        }
    }

    mutating func synchronize() throws(SystemCallError) {
        do throws(SystemCallError) {
            try opened().file.synchronize()
            try files.synchronize()
        } catch {
            newest = .suspect
            throw error
        }
    }

    mutating func close() { newest = .closed }

    private mutating func opened() throws(SystemCallError) -> (file: any StateFile, length: Int) {
        switch newest {
        case .open(let file, let length): return (file, length)
        case .suspect:
            try rotate()
            newest = .closed
        case .closed: break
        }
        let file = try files.openOrCreate(Self.name(0))
        var length = try file.length()
        if length > 0, try file.content(from: length - 1, count: 1) != [0x0A] {
            // A killed process left an incomplete line: the next line needs a line break before it.
            try file.append([0x0A])
            length += 1
        }
        newest = .open(file: file, length: length)
        return (file, length)
    }

    private func rotate() throws(SystemCallError) {
        guard limits.olderFiles > 0 else { return try files.remove(Self.name(0)) }
        let names = Set(try files.names())
        // A process that was killed during the renames left a gap. Then only the files newer than the gap move.
        let gap = (1...limits.olderFiles).first { !names.contains(Self.name($0)) }
        if gap == nil { try files.remove(Self.name(limits.olderFiles)) }
        for age in (0..<(gap ?? limits.olderFiles)).reversed() {
            try files.rename(Self.name(age), to: Self.name(age + 1))
        }
    }

    /// Passes each line without its line break to `body`, the newest first, until `body` returns false.
    func readLines(_ body: (UnsafeBufferPointer<UInt8>) -> Bool) throws(SystemCallError) {
        for age in 0...max(0, limits.olderFiles) {
            guard let content = try files.open(Self.name(age), for: .reading)?.content() else { continue }
            let wantsMore = content.withUnsafeBufferPointer { bytes in
                var end = bytes.count
                while end > 0 {
                    let start = (bytes[..<(end - 1)].lastIndex(of: 0x0A) ?? -1) + 1
                    let line = UnsafeBufferPointer(rebasing: bytes[start..<end])
                    let text = line.last == 0x0A ? UnsafeBufferPointer(rebasing: line.dropLast()) : line
                    if !text.isEmpty, !body(text) { return false }
                    end = start
                }
                return true
            }
            guard wantsMore else { return }
        }
    }
}
