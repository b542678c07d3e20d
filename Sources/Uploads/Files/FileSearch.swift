import FerryProtocols
import FerryTransfer

/// Finds the files that paths, patterns and folders select.
///
/// Searched folders yield no symbolic links, hidden files or, by default, private keys, unless the user names them.
public struct FileSearch: Sendable {
    /// The maximum depth of nested folders. More are probably a loop or the work of a faulty program.
    private static let depthLimit = 256
    /// The maximum number of a folder's entries that are examined before they are taken. A folder can have a million.
    private static let pageSize = 4096
    private static let tooDeep = "is nested too deeply: in \(depthLimit) folders"

    private let isRecursive: Bool
    private let minimumAge: Double
    private let isLiteral: Bool
    private let includesKeys: Bool
    private let now: @Sendable () -> Date
    private let isStopped: @Sendable () -> Bool

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - isRecursive: True to search folders, and all folders below them.
    ///   - minimumAge: The number of seconds since its last change from which a file is probably complete.
    ///   - isLiteral: True for paths from the output of another program, which are never patterns. The folders of a
    ///     relative one become a part of the file's name on the server.
    ///   - includesKeys: True to select also private keys in searched folders.
    ///   - now: Returns the wall-clock time, from which the ages of files are computed.
    ///   - isStopped: Called for every folder. If it returns true, the search returns the files found so far.
    public init(
        isRecursive: Bool, minimumAge: Double = 0, isLiteral: Bool = false, includesKeys: Bool = false,
        now: @escaping @Sendable () -> Date = { Date() },
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) {
        self.isRecursive = isRecursive
        self.minimumAge = minimumAge
        self.isLiteral = isLiteral
        self.includesKeys = includesKeys
        self.now = now
        self.isStopped = isStopped
    }

    /// Finds the files that paths and patterns select.
    ///
    /// - Parameter paths: The paths, absolute or relative. One that does not exist and contains `*`, `?` or `[` is a
    ///   pattern, in which `**` matches any number of folders.
    /// - Returns: The selected files and the problems, in the sequence of `paths`.
    public func find(_ paths: [LocalPath]) -> FileSelection {
        var search = State(search: self, now: now())
        for path in paths { search.take(path) }
        return search.selection
    }

    private struct State {
        let search: FileSearch
        let now: Date
        var selection = FileSelection()
        var seen: Set<LocalPath> = []
        /// The files found so far, each once for each different name on the server; nil until the path of a file differs
        /// from the path that the user sees. Until then, `seen` excludes duplicates.
        var queued: Set<FileSelection.File>?
        /// The original bytes of selected names that contain U+FFFD in place of invalid UTF-8, to find equal names.
        var changedNames: [[UInt8]: [UInt8]] = [:]

        mutating func take(_ path: LocalPath) {
            guard !search.isLiteral, FileKind.of(path, follows: true) == .missing,
                GlobPattern.isPattern(path.bytes)
            else {
                return add(path)
            }
            let before = (selection.files.count, selection.problems.count)
            expand(
                Array(path.bytes.split(separator: 0x2F)),
                below: LocalPath(path.bytes.first == 0x2F ? "/" : "."), depth: 0)
            if before == (selection.files.count, selection.problems.count) {
                leaveOut(path, "nothing matches")
            }
        }

        private mutating func expand(_ components: [ArraySlice<UInt8>], below folder: LocalPath, depth: Int) {
            guard let first = components.first, !search.isStopped() else { return }
            guard depth < FileSearch.depthLimit else { return leaveOut(folder, FileSearch.tooDeep) }
            let rest = Array(components.dropFirst())
            if Array(first) == Array("**".utf8) {
                if !rest.isEmpty { expand(rest, below: folder, depth: depth) }
                for name in Directory.names(in: folder) where name.first != 0x2E {
                    let path = folder.below(name)
                    switch FileKind.of(path, follows: false) {
                    case .folder: expand(components, below: path, depth: depth + 1)
                    case .file where rest.isEmpty:
                        if isKept(path) { add(path) }
                    case .file, .link, .special, .missing: break
                    }
                }
                return
            }
            guard GlobPattern.isPattern(first) else {
                let path = folder.below(Array(first))
                let kind = FileKind.of(path, follows: true)
                if rest.isEmpty, kind != .missing { add(path) }
                if !rest.isEmpty, kind == .folder { expand(rest, below: path, depth: depth + 1) }
                return
            }
            let pattern = GlobPattern(Array(first))
            for name in Directory.names(in: folder) where pattern.matches(name) {
                let path = folder.below(name)
                if rest.isEmpty {
                    add(path)
                } else if FileKind.of(path, follows: true) == .folder {
                    expand(rest, below: path, depth: depth + 1)
                }
            }
        }

        /// Adds the file at `path`, or the files below it if the search is recursive, once. Resolves symbolic links.
        private mutating func add(_ path: LocalPath) {
            guard seen.insert(path).inserted else { return }
            var resolved = path
            do throws(UploadFailure) {
                resolved = try path.resolved()
                switch FileKind.of(resolved, follows: false) {
                case .folder where search.isRecursive:
                    walk(try SourceFolder(resolved), in: [], shown: path, prefix: name(of: path))
                case .folder: leaveOut(path, "is a folder", .folder)
                case .file, .link, .special, .missing:
                    let identity = try SourceFile(resolved: resolved).identity
                    queue(resolved, identity, shown: path, relativeName: name(of: path))
                }
            } catch {
                leaveOut(path, error.reason(path, resolved), error.cause)
            }
        }

        /// Returns the name for the server, usually the last component. A relative path from another program keeps its
        /// folders, unless it contains `..`.
        ///
        /// The name is empty if the path ends with `.`, `..` or a slash. The names of files in such a folder are
        /// relative to it, because servers refuse names with `.` or `..`.
        private func name(of path: LocalPath) -> String {
            let last = [".", ".."].contains(path.name) ? "" : path.name
            guard search.isLiteral, path.bytes.first != 0x2F else { return last }
            let components = path.text.split(separator: "/").filter { $0 != "." }
            return components.isEmpty || components.contains("..") ? last : components.joined(separator: "/")
        }

        /// Adds the files below `folder`, which is nested in the folders `outer`, and reports what it leaves out. The user
        /// sees the path `shown`. Names for the server begin with `prefix`, such as `day3`.
        private mutating func walk(
            _ folder: SourceFolder, in outer: [SourceFolder], shown: LocalPath, prefix: String
        ) {
            guard !search.isStopped() else { return }
            guard outer.count < FileSearch.depthLimit else { return leaveOut(shown, FileSearch.tooDeep) }
            if let same = outer.first(where: { $0.isSame(as: folder) }) {
                return leaveOut(shown, "is a loop: the same folder as \(same.path.text)")
            }
            let names: [[UInt8]]
            do throws(UploadFailure) { names = try folder.names() } catch {
                return leaveOut(shown, "cannot be read: \(error.reason(folder.path))", error.cause)
            }
            var (rest, size) = (names[...], 1)
            while !rest.isEmpty {
                let page = rest.prefix(size)
                size = min(4 * size, FileSearch.pageSize)
                for (name, status) in zip(page, folder.statuses(of: page)) {
                    take(name, status, of: folder, in: outer, shown: shown, prefix: prefix)
                    rest.removeFirst()
                    guard status?.kind == .folder else { continue }
                    // The walk can take long, so the entries after the folder are examined again.
                    size = 1
                    break
                }
            }
        }

        /// Adds an entry of `folder`, or walks it. The user sees the folder as `shownFolder`.
        private mutating func take(
            _ name: [UInt8], _ status: FileStatus?, of folder: SourceFolder, in outer: [SourceFolder],
            shown shownFolder: LocalPath, prefix: String
        ) {
            let path = folder.path.appending(name)
            // Equal paths share their memory.
            let shown = shownFolder == folder.path ? path : shownFolder.appending(name)
            if name.first == 0x2E { return leaveOut(shown, "is hidden; name it to add it") }
            let relative = (prefix.isEmpty ? "" : prefix + "/") + String(decoding: name, as: UTF8.self)
            switch status?.kind {
            case .folder:
                do throws(UploadFailure) {
                    walk(
                        try folder.folder(named: name), in: outer + [folder], shown: shown, prefix: relative)
                } catch {
                    leaveOut(shown, "cannot be read: \(error.reason(path))", error.cause)
                }
            case .link: leaveOut(shown, "is a symbolic link; name it to add it")
            case .special: leaveOut(shown, "is not a regular file")
            case .missing, nil: leaveOut(shown, "no such file")
            case .file:
                guard let status, seen.insert(shown).inserted, isKept(shown, at: path) else { return }
                do throws(UploadFailure) {
                    try folder.check(name, status, at: path)
                    queue(path, status.identity, shown: shown, relativeName: relative)
                } catch {
                    leaveOut(shown, error.reason(path), error.cause)
                }
            }
        }

        /// Returns whether the file, read at `path` or `shown`, is to be added. Reports a private key as left out.
        private mutating func isKept(_ shown: LocalPath, at path: LocalPath? = nil) -> Bool {
            guard !search.includesKeys, PrivateKey.isAt(path ?? shown) else { return true }
            leaveOut(shown, "is a private key; name it to add it")
            return false
        }

        private mutating func queue(
            _ path: LocalPath, _ identity: FileIdentity, shown: LocalPath, relativeName: String
        ) {
            let age = now.timeIntervalSince1970 - Double(identity.modified) / 1e9
            guard search.minimumAge <= 0 || age >= search.minimumAge else {
                // A time in the future counts as just now.
                return leaveOut(shown, "changed \(Int(max(0, age))) s ago, may still be written")
            }
            let file = FileSelection.File(path: path, identity: identity, relativeName: relativeName)
            if queued == nil, shown != path { queued = Set(selection.files) }
            if queued?.insert(file).inserted == false { return }
            if relativeName.unicodeScalars.contains("\u{FFFD}") {
                let (name, original) = (Array(relativeName.utf8), shown.end(likeNames: relativeName))
                guard changedNames[name, default: original] == original else {
                    return leaveOut(
                        shown,
                        "would have the name of another file at the server, as what is not UTF-8 is replaced there",
                        .nameTaken
                    )
                }
                changedNames[name] = original
                if name != original { selection.changedNames += 1 }
            }
            selection.files.append(file)
        }

        private mutating func leaveOut(
            _ path: LocalPath, _ reason: String, _ cause: FileSelection.Problem.Cause = .other
        ) {
            selection.problems.append(.init(path: path, reason: reason, cause: cause))
        }
    }
}

extension UploadFailure {
    /// Returns the failure's summary without a path at its beginning, which callers show themselves.
    func reason(_ paths: LocalPath...) -> String {
        let prefix = paths.map { $0.text + ": " }.first(where: summary.hasPrefix)
        return String(summary.dropFirst(prefix?.count ?? 0))
    }

    fileprivate var cause: FileSelection.Problem.Cause { detail == .permission ? .permission : .other }
}

extension LocalPath {
    /// Returns the path with a name appended, without `./` in the working directory.
    fileprivate func below(_ name: [UInt8]) -> LocalPath {
        bytes == [0x2E] ? LocalPath(bytes: name) : appending(name)
    }

    /// Returns as many last components of the path as `relativeName` has, with the original bytes of invalid UTF-8.
    fileprivate func end(likeNames relativeName: String) -> [UInt8] {
        let names = bytes.split(separator: 0x2F).filter { $0 != [0x2E] }
        let count = relativeName.utf8.count { $0 == 0x2F } + 1
        return Array(names.suffix(count).joined(separator: [0x2F]))
    }
}
