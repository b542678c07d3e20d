import FerryProtocols
import FerryTransfer
import FerryUploads

/// A watched folder: an element of `watch`. A file is uploaded when it has stayed unchanged for `settle` seconds.
struct WatchSettings: Decodable, Equatable {
    enum After: Equatable, Sendable {
        case keep
        case delete
        case move(String)

        static let expected = "keep, delete or { \"move\": \"/a/folder\" }"
    }

    /// The path of the folder: absolute, or with a leading `~`.
    var folder: String
    /// The destination's name or a URL; nil for the default destination.
    var to: String?
    var include: [String] = []
    var exclude: [String] = []
    var isRecursive = false
    var settle = 5.0
    var after = After.keep

    static let settleRange = 0.1...86_400

    init(folder: String) { self.folder = folder }

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, ConfigurationTable.watch)
        folder = try fields.required(
            "folder", "the path of a folder, from / or ~ on", where: Self.isFolderPath)
        to = try fields.value("to")
        include = try Self.patterns("include", fields)
        exclude = try Self.patterns("exclude", fields)
        isRecursive = try fields.value("recursive") ?? isRecursive
        settle = try fields.seconds("settle") ?? settle
        guard let after = try? fields.value("after", as: After.self) ?? .keep else {
            throw fields.error("after", After.expected)
        }
        self.after = after
    }

    private static func patterns(_ key: String, _ fields: Fields) throws -> [String] {
        try fields.value(key, "a list of patterns such as \"*.mov\"") { patterns in
            patterns.allSatisfy { !$0.isEmpty && !$0.contains("\0") }
        } ?? []
    }

    static func isFolderPath(_ path: String) -> Bool {
        !path.contains("\0") && (path.hasPrefix("/") || path == "~" || path.hasPrefix("~/"))
    }

    /// The settings for the engine, with absolute paths.
    var watched: WatchedFolder {
        let after: WatchedFolder.After =
            switch after {
            case .keep: .keep
            case .delete: .delete
            case .move(let goal): .move(to: LocalPath(LocalFiles.absolute(goal)))
            }
        return WatchedFolder(
            path: LocalPath(LocalFiles.absolute(folder)),
            patterns: FilePatterns(include: include, exclude: exclude),
            isRecursive: isRecursive, settle: .seconds(settle), after: after)
    }
}

extension WatchSettings.After: Decodable {
    private static let words: [String: Self] = ["keep": .keep, "delete": .delete]

    init(from decoder: any Decoder) throws {
        if let word = try? decoder.singleValueContainer().decode(String.self) {
            guard let after = Self.words[word] else {
                throw ConfigurationIssue(path: [], expected: Self.expected)
            }
            self = after
            return
        }
        let fields = try Fields(decoder, ConfigurationTable.after)
        guard let goal: String = try fields.value("move"), WatchSettings.isFolderPath(goal) else {
            throw ConfigurationIssue(path: [], expected: Self.expected)
        }
        self = .move(goal)
    }

    /// Parses the value of `--after`: `keep`, `delete` or `move:/a/folder`. Nil for any other text.
    init?(argument: String) {
        let isMove = argument.hasPrefix("move:") && argument.count > 5
        guard let after = isMove ? .move(String(argument.dropFirst(5))) : Self.words[argument] else {
            return nil
        }
        self = after
    }

    var argument: String {
        switch self {
        case .keep: "keep"
        case .delete: "delete"
        case .move(let goal): "move:" + goal
        }
    }
}
