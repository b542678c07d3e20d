import FerryProtocols
import FerryTUI
import FerryTransfer
import FerryUploads
import Synchronization

/// Finds the files that a user names in the screen by typing or pasting paths, and adds the files to the queue.
struct ScreenAdding: AddService {
    /// Returns the assembly with the current configuration. The call may read a file, so it runs on its own thread.
    let assembly: @Sendable () -> Assembly
    let queue: any QueueClient
    let state: LocalPath

    func preview(_ request: AddRequest) async -> FileSelection {
        let sign = CancellationFlag()
        return await withTaskCancellationHandler {
            await Self.apart { Self.find(request, isStopped: { sign.isSet }) }
        } onCancel: {
            sign.set()
        }
    }

    func list(_ folder: FolderReference) async -> BrowsedFolder { await Self.apart { Self.list(folder) } }

    func completions(of line: String) async -> [String] { await Self.apart { Self.completions(line) } }

    func destinations() async -> DestinationNames {
        let configuration = await Self.apart(assembly).configuration
        return DestinationNames(
            configuration.destinations.keys.sorted(), preferred: configuration.defaultDestination)
    }

    /// Runs `look` on a new thread and returns its result. `look` can block for long on a volume that hangs.
    private static func apart<Value: Sendable>(_ look: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            DetachedThread.start { continuation.resume(returning: look()) }
        }
    }

    /// Adds the files to the queue, except unchanged ones that were uploaded or queued before, as `ferry add` does. An
    /// empty `name` means the default destination.
    func add(_ selection: FileSelection, to name: String) async -> QueueReply {
        do throws(UploadFailure) {
            let destination = try await Self.apart(assembly).destination(name.isEmpty ? nil : name)
            let known = DuplicateFilter(await past(selection), match: .inSameVersion)
            let new = try NewUploads.make(selection, for: destination).filter { !known.contains($0) }
            return new.isEmpty ? .changed([]) : await queue.perform(.addNew(new))
        } catch {
            return .refused(error)
        }
    }

    func past(_ selection: FileSelection) async -> [Upload] {
        guard !selection.files.isEmpty else { return [] }
        return await Self.apart { [state] in
            // If the history cannot be read, a file is possibly sent twice. That is better than not to send it.
            let entries = (try? UploadHistory.read(inFolder: state)) ?? []
            let paths = Set(selection.files.map(\.path))
            return entries.filter { $0.outcome == .done && paths.contains($0.upload.path) }.map(\.upload)
        }
    }

    static func find(
        _ request: AddRequest, isStopped: @escaping @Sendable () -> Bool = { false }
    ) -> FileSelection {
        FileSearch(isRecursive: true, isStopped: isStopped).find(
            request.marked + PathList.paths(in: request.text).map(absolute))
    }

    static func list(_ reference: FolderReference) -> BrowsedFolder {
        let path =
            switch reference {
            case .line(let text): plain(folder(of: text))
            case .folder(let path): path
            }
        return BrowsedFolder(path: path, text: text(of: path), contents: FolderContents(of: path))
    }

    /// Returns the folder to list for an input line: the one that the line or its last path names, or the one that
    /// contains the last path. Names from the first wildcard on are removed.
    private static func folder(of line: String) -> LocalPath {
        let whole = absolute(LocalPath(line))
        if isFolder(whole) { return whole }
        guard let last = PathList.paths(in: line).last.map(absolute) else { return absolute(LocalPath("")) }
        if isFolder(last) || last.bytes.last == 0x2F { return last }
        let named = last.bytes.split(separator: 0x2F).dropLast().prefix {
            !$0.contains { "*?[".utf8.contains($0) }
        }
        return LocalPath(bytes: [0x2F] + named.joined(separator: [0x2F]))
    }

    private static func isFolder(_ path: LocalPath) -> Bool { FileKind.of(path, follows: true) == .folder }

    /// Returns the absolute path without `.`, repeated slashes and a trailing slash. Resolves symbolic links before
    /// `..`.
    private static func plain(_ path: LocalPath) -> LocalPath {
        let names = path.bytes.split(separator: 0x2F).filter { $0 != [0x2E] }
        let plain = LocalPath(bytes: [0x2F] + names.joined(separator: [0x2F]))
        return names.contains([0x2E, 0x2E]) ? (try? path.resolved()) ?? plain : plain
    }

    /// Returns the text that a user would type for the folder, with `~` and a trailing slash; nil if it cannot be
    /// typed.
    private static func text(of path: LocalPath) -> String? {
        let bytes = path.bytes.last == 0x2F ? path.bytes : path.bytes + [0x2F]
        let home = Array(LocalFiles.home.utf8)
        let isAtHome = home.count > 1 && bytes.starts(with: home + [0x2F])
        let typed = isAtHome ? [0x7E] + bytes.dropFirst(home.count) : bytes
        guard let text = String(validating: typed, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }),
            PathList.paths(in: text).map(absolute) == [LocalPath(bytes: bytes)]
        else { return nil }
        return text
    }

    /// Returns the completions of a line that consists of one path, as whole lines, with a slash after folders. Hidden
    /// files are included only after a dot.
    static func completions(_ line: String) -> [String] {
        // Searches bytes: with a combining mark, a slash is another `Character`, but it still separates paths.
        let slash = line.utf8.lastIndex(of: UInt8(ascii: "/"))
        let split = slash.map { line.utf8.index(after: $0) } ?? line.startIndex
        let (shown, start) = (String(line[..<split]), line[split...])
        let folder = shown.isEmpty ? "./" : LocalFiles.expanded(shown)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(start) && (!start.isEmpty || !$0.hasPrefix(".")) }.sorted().map {
            name in
            shown + name + (isFolder(LocalPath(folder + name)) ? "/" : "")
        }
    }

    /// Returns the absolute path, with a leading `~` replaced: the engine's working directory is possibly another.
    private static func absolute(_ path: LocalPath) -> LocalPath {
        (path.bytes.first == 0x7E ? LocalPath(LocalFiles.expanded(path.text)) : path).absolute
    }
}

private final class CancellationFlag: Sendable {
    private let state = Atomic(false)

    var isSet: Bool { state.load(ordering: .relaxed) }

    func set() { state.store(true, ordering: .relaxed) }
}

/// The parser for the paths in a typed or pasted text. Terminals insert the name of a dropped file unchanged, quoted,
/// escaped, or as a `file://` URL.
enum PathList {
    static func paths(in text: String) -> [LocalPath] {
        text.split(whereSeparator: \.isNewline).flatMap { line -> [LocalPath] in
            let trimmed = line.trimmed()
            guard !trimmed.isEmpty else { return [] }
            if let path = fileAddress(trimmed) { return [path] }
            // If a file with this name exists, an unquoted name with spaces is one path.
            if LocalFiles.mode(of: LocalFiles.expanded(trimmed)) != nil { return [LocalPath(trimmed)] }
            if isInFolder(withSpaces: trimmed) { return [LocalPath(trimmed)] }
            return shellWords(trimmed).map { fileAddress($0) ?? LocalPath($0) }
        }
    }

    /// Returns true if the text without quotes and backslashes names something in an existing folder with a space in
    /// its path. The key Tab inserts such a folder unquoted, so the text is one path.
    private static func isInFolder(withSpaces text: String) -> Bool {
        guard !text.contains(where: "'\"\\".contains), let slash = text.utf8.lastIndex(of: UInt8(ascii: "/"))
        else { return false }
        let folder = String(text[..<slash])
        return folder.contains(" ")
            && FileKind.of(LocalPath(LocalFiles.expanded(folder)), follows: true) == .folder
    }

    private static func fileAddress(_ text: String) -> LocalPath? {
        guard text.hasPrefix("file://"), let url = URL(string: text) else { return nil }
        return LocalPath(url.path(percentEncoded: false))
    }

    /// Splits the text into words like a POSIX shell, without expanding patterns or variables.
    static func shellWords(_ text: String) -> [String] {
        enum Quote { case none, single, double }
        var words: [String] = []
        var word: String?
        var quote = Quote.none
        var escaped = false
        for character in text {
            if escaped {
                // Inside double quotes a backslash escapes only these characters (POSIX.1 §2.2.3).
                if quote == .double, !"\\\"$`".contains(character) { word = (word ?? "") + "\\" }
                word = (word ?? "") + String(character)
                escaped = false
                continue
            }
            switch (character, quote) {
            case ("\\", .none), ("\\", .double): escaped = true
            case ("'", .none): (quote, word) = (.single, word ?? "")
            case ("'", .single): quote = .none
            case ("\"", .none): (quote, word) = (.double, word ?? "")
            case ("\"", .double): quote = .none
            case (" ", .none), ("\t", .none):
                if let finished = word { words.append(finished) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return words
    }
}
