import FerryFiles
import FerryUploads

/// `hooks`: the commands that are run when something happens.
struct HookSettings: Decodable, Equatable {
    var commands: [QueueEvent.Name: [HookCommand]] = [:]
    /// Seconds after which a command is ended, with all that it started.
    var timeout = 10.0

    init() {}

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, ConfigurationTable.hooks)
        for event in QueueEvent.Name.allCases {
            commands[event] = try fields.value(event.rawValue, as: HookCommands.self)?.commands
        }
        timeout = try fields.seconds("timeout") ?? timeout
    }
}

/// A program and its arguments, exactly as it gets them.
struct HookCommand: Equatable, Sendable {
    /// The program and its arguments; never empty.
    var words: [String]

    var program: String { LocalFiles.expanded(words[0]) }

    /// Whether there is such a program, in `PATH` if it has no slash.
    var isThere: Bool {
        if program.contains("/") {
            let place = program.hasPrefix("/") ? program : "\(LocalFiles.home)/\(program)"
            return FileManager.default.isExecutableFile(atPath: place)
        }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return path.split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    }
}

/// One command, or a list of them. Never text: that would need a shell to take it apart, and a name of a file in it would
/// be the shell's to read.
private struct HookCommands: Decodable {
    var commands: [HookCommand]

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        let lists = (try? value.decode([String].self)).map { [$0] } ?? (try? value.decode([[String]].self))
        guard let lists, !lists.isEmpty,
            lists.allSatisfy({ $0.first?.isEmpty == false && !$0.contains { $0.contains("\0") } })
        else {
            throw ConfigurationIssue(
                path: decoder.codingPath.names,
                expected:
                    "a program and its arguments, each a text of its own, as no shell takes them apart: [\"logger\", \"-t\", \"ferry\"], or a list of such lists"
            )
        }
        commands = lists.map(HookCommand.init)
    }
}
