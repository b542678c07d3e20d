extension LocalPath {
    /// The folder that contains the last component. It is `.` for a single name, and nil for the root and for an empty
    /// path.
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

    /// Returns the components of this path after those of `folder`; nil if the path is not below the folder.
    package func names(below folder: LocalPath) -> [[UInt8]]? {
        guard isBelow(folder) else { return nil }
        return bytes[folder.bytes.count...].split(separator: 0x2F).map(Array.init)
    }
}
