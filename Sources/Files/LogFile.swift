import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A log file of limited size, to which several processes can append. A file of more than 8 MiB is put aside, with `.1`
/// at the end of its name.
package struct LogFile: Sendable {
    private static let sizeLimit = 8 << 20
    /// The number of bytes that this value appends between two looks at the length of the file.
    private static let interval = 64 << 10
    /// The number of files that this process has put aside. After each, the other values open the new file.
    private static let renamed = Atomic(0)

    private let path: LocalPath
    private let streams: [StandardStream]
    private var file: OpenFile?
    /// The number of bytes that may be appended before the next look at the length.
    private var left = 0
    /// The value of `renamed` at the last look.
    private var seen = 0

    /// Opens or creates the file. After a failure, nothing is logged: logging must never prevent an upload.
    ///
    /// - Parameter streams: The standard streams that are redirected to each file.
    package init(_ path: LocalPath, streams: [StandardStream] = []) {
        self.path = path
        self.streams = streams
        open()
    }

    private mutating func open() {
        guard let opened = try? OpenFile(path, for: .appendingOrCreating) else { return }
        for stream in streams { dup2(opened.descriptor.number, stream.rawValue) }
        file = opened
    }

    package mutating func append(_ line: [UInt8]) {
        if left <= 0 || seen != Self.renamed.load(ordering: .relaxed) { makeRoom() }
        left -= line.count
        _ = try? file?.appendOnce(line)
    }

    /// Begins a new file if this one is full.
    mutating func makeRoom() {
        left = Self.interval
        defer { seen = Self.renamed.load(ordering: .relaxed) }
        guard let length = try? file?.length(), length > Self.sizeLimit else { return }
        // Another value may have put the full file aside already.
        if let named = FileStatus.of(path, follows: false), named.identity.size > Self.sizeLimit {
            try? path.rename(to: LocalPath(bytes: path.bytes + Array(".1".utf8)))
            Self.renamed.add(1, ordering: .relaxed)
        }
        open()
    }
}
