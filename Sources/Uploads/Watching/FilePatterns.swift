/// Patterns that choose files below a folder.
///
/// A pattern is compared with names, or if it has a slash, with paths below the folder, in which `**` stands for any
/// number of folders. `include` chooses files. `exclude` leaves out files, and folders with everything in them.
public struct FilePatterns: Sendable {
    /// The patterns of names that programs give to unfinished and temporary files, and of hidden files.
    public static let unfinished = [
        ".*", "*~", "~$*", "#*#", "*.part", "*.partial", "*.filepart", "*.tmp", "*.temp", "*.crdownload",
        "*.download", "*.opdownload", "*.aria2", "*.swp",
    ]

    private let include: [Pattern]
    private let exclude: [Pattern]
    /// The patterns of `unfinished` that `include` does not turn off. They leave out files.
    private let left: [GlobPattern]

    /// - Parameters:
    ///   - include: The patterns of the files to choose; empty for all files. One whose last component matches a
    ///     pattern of `unfinished` turns that pattern off, as `a.part` does with `*.part`.
    ///   - exclude: The patterns of the files and folders to leave out, even if a pattern in `include` matches.
    public init(include: [String] = [], exclude: [String] = []) {
        self.include = include.map(Pattern.init)
        self.exclude = exclude.map(Pattern.init)
        let names = include.compactMap { $0.split(separator: "/").last.map { Array($0.utf8) } }
        left = Self.unfinished.map { GlobPattern(Array($0.utf8)) }.filter { pattern in
            !names.contains(where: pattern.matches)
        }
    }

    /// Returns whether the patterns choose a file, by its names below the watched folder. A file in a hidden folder is
    /// never chosen.
    package func take(file path: [[UInt8]]) -> Bool {
        guard let name = path.last, !left.contains(where: { $0.matches(name) }) else { return false }
        guard path.dropLast().allSatisfy({ $0.first != 0x2E }) else { return false }
        guard include.isEmpty || include.contains(where: { $0.matches(path) }) else { return false }
        return !path.indices.contains { end in exclude.contains { $0.matches(Array(path[...end])) } }
    }

    /// Returns whether a folder, by its names below the watched one, can contain chosen files.
    package func enter(folder path: [[UInt8]]) -> Bool {
        path.last?.first != 0x2E && !exclude.contains { $0.matches(path) }
    }

    private struct Pattern: Sendable {
        private enum Part: Sendable {
            case name(GlobPattern)
            case anyFolders
        }

        private let parts: [Part]
        private let isOfName: Bool

        init(_ text: String) {
            let names = text.utf8.split(separator: 0x2F)
            isOfName = names.count == 1 && text.utf8.first != 0x2F
            parts = names.map { $0.elementsEqual("**".utf8) ? .anyFolders : .name(GlobPattern(Array($0))) }
        }

        func matches(_ path: [[UInt8]]) -> Bool {
            guard isOfName, let name = path.last else { return Self.matches(parts[...], path[...]) }
            return Self.matches(parts[...], [name])
        }

        private static func matches(_ parts: ArraySlice<Part>, _ path: ArraySlice<[UInt8]>) -> Bool {
            // Backtracks to the last `**` only, so that no pattern needs more than quadratic time.
            var (part, index) = (parts.startIndex, path.startIndex)
            var last: (part: Int, index: Int)?
            while index < path.endIndex {
                if part < parts.endIndex, case .anyFolders = parts[part] {
                    last = (part, index)
                    part += 1
                } else if part < parts.endIndex, case .name(let pattern) = parts[part],
                    pattern.matches(path[index])
                {
                    part += 1
                    index += 1
                } else if let start = last {
                    last = (start.part, start.index + 1)
                    (part, index) = (start.part + 1, start.index + 1)
                } else {
                    return false
                }
            }
            return parts[part...].allSatisfy { if case .anyFolders = $0 { true } else { false } }
        }
    }
}
