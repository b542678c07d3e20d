import FerryUploads

/// The commands that run on events of the queue (the member `hooks` of the configuration).
struct HookSettings: Decodable, Equatable {
    var commands: [QueueEvent.Name: [HookCommand]] = [:]
    /// The number of seconds after which the engine kills a command and its process group.
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

/// A program and its arguments. The program runs without a shell.
struct HookCommand: Equatable, Sendable {
    /// The program and its arguments: at least one element.
    var words: [String]

    var program: String { LocalFiles.program(words[0]) }

    /// True if the program exists and is executable. A name without a slash is searched in `PATH`.
    var isThere: Bool {
        if program.contains("/") {
            return FileManager.default.isExecutableFile(atPath: LocalFiles.configured(program))
        }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return path.split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    }
}

/// One command, or a list of commands. A command in a single text is an error, because only a shell could split it.
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
