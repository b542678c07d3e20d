/// The path of a local file, as the bytes that the system uses: names need not be UTF-8.
///
/// A path is encoded as text, or as `base64:` and its bytes: see `encoded`.
///
/// swift-system's `FilePath` would drop a slash at the end, with which the system accepts only a folder, and has
/// another encoded form than saved upload queues.
public struct LocalPath: Hashable, Sendable {
    /// The bytes of the path, without the null at the end.
    public let bytes: [UInt8]

    /// - Parameter bytes: The bytes, without a null at the end.
    public init(bytes: [UInt8]) { self.bytes = bytes }
    /// - Parameter text: The path as UTF-8, relative to the working directory unless it begins with a slash.
    public init(_ text: String) { bytes = Array(text.utf8) }

    /// Compares all bytes at once. The loops of the array, one byte at a time, took a fifth of adding a million files.
    public static func == (left: LocalPath, right: LocalPath) -> Bool {
        left.bytes.count == right.bytes.count
            && left.bytes.withUnsafeBytes { $0.holds(right.bytes, at: 0) }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes.count)
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// The path for display: invalid bytes become U+FFFD, and control characters stay. Do not open a file by this text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The bytes after the last slash; all bytes if the path has no slash.
    public var lastComponent: [UInt8] {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return bytes }
        return Array(bytes[(slash + 1)...])
    }

    /// The last component, for display.
    public var name: String { String(decoding: lastComponent, as: UTF8.self) }

    /// Returns this path with `component` appended, after a slash.
    public func appending(_ component: [UInt8]) -> LocalPath {
        var path: [UInt8] = []
        path.reserveCapacity(bytes.count + 1 + component.count)
        path += bytes
        if path.last != UInt8(ascii: "/") { path.append(UInt8(ascii: "/")) }
        path += component
        return LocalPath(bytes: path)
    }

    /// Calls `body` with the path as a null-terminated string for system calls.
    public func withCString<Result, Failure: Error>(
        _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { buffer in
            _ = buffer.initialize(from: bytes.lazy.map { CChar(bitPattern: $0) })
            buffer.initializeElement(at: bytes.count, to: 0)
            guard let start = buffer.baseAddress else {
                preconditionFailure("the buffer holds at least the null")
            }
            return Swift.Result { () throws(Failure) in try body(start) }
        }.get()
    }
}

extension LocalPath {
    /// The folder of the last component: `.` for a single name, nil for the root and an empty path.
    package var parent: LocalPath? {
        let slash = UInt8(ascii: "/")
        let trimmed = bytes[..<(bytes.lastIndex { $0 != slash }.map { $0 + 1 } ?? 0)]
        guard !trimmed.isEmpty else { return nil }
        guard let end = trimmed.lastIndex(of: slash) else { return LocalPath(".") }
        let folder = trimmed[..<end]
        return LocalPath(bytes: folder.isEmpty ? [slash] : Array(folder))
    }

    /// True if the path begins with the path of `folder` and has more components.
    package func isBelow(_ folder: LocalPath) -> Bool {
        let endsWithSlash = folder.bytes.last == 0x2F
        let start = folder.bytes.count + (endsWithSlash ? 0 : 1)
        return bytes.count > start && bytes.starts(with: folder.bytes)
            && (endsWithSlash || bytes[start - 1] == 0x2F)
    }

    /// Returns the components of this path below `folder`; nil if it is not below.
    package func names(below folder: LocalPath) -> [[UInt8]]? {
        guard isBelow(folder) else { return nil }
        return bytes[folder.bytes.count...].split(separator: 0x2F).map(Array.init)
    }
}
