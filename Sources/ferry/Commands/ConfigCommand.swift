import ArgumentParser
import CFerryManual
import FerryTUI
import FerryUploads

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show the paths of Ferry's files, and check the configuration.",
        discussion: """
            Exit status: 0 no problem, 1 a secret is missing, 2 the configuration is wrong.

              ferry config
              ferry config --print-example > ~/.config/ferry/config.json
              ferry config --systemd > ~/.config/systemd/user/ferry.service
            """)

    @Flag(help: "Print an example configuration.") var printExample = false
    @Flag(help: "Print all actions of the screen with their keys, as `keys` of the configuration names them.")
    var keys = false

    @Flag(help: "Print a JSON Schema of the configuration, for editors that complete and check it.")
    var schema = false
    @Flag(help: "Print a JSON Schema of the lines that --json prints and hooks read.") var outputSchema =
        false
    @Flag(help: "Print a unit for systemd that keeps ferry running for this user.") var systemd = false
    @Flag(help: "One JSON object: where the files are, and what is configured.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        if systemd {
            _ = try global.loadConfiguration()
            let program = Machine.program ?? "/usr/bin/ferry"
            let unit = SystemdUnit.text(program: program, arguments: global.unitArguments)
            return StandardStream.output.write(unit)
        }
        if schema { return print(ConfigurationTable.text) }
        if outputSchema { return print(OutputSchema.text) }
        if printExample {
            return StandardStream.output.write(String(cString: manual_example_configuration()))
        }
        let file = global.configuration.map(LocalFiles.expanded) ?? LocalFiles.configuration
        let configuration = try global.loadConfiguration()
        if keys {
            for entry in configuration.actions.entries { print(Self.line(entry)) }
            return
        }
        let isThere = LocalFiles.mode(of: file) != nil
        let watches = try global.assembly().watches()
        if json {
            let line = ConfigurationLine(
                configuration: configuration, watches: watches, file: isThere ? file : nil,
                folder: global.stateFolder.text)
            print(line.json)
            return try Self.fail(of: configuration)
        }
        print("configuration  \(file)\(isThere ? "" : " (none; `ferry init` makes one)")")
        try await show(configuration, watches)
        for warning in configuration.warnings + watches.flatMap(\.warnings) + configuration.missingSecrets {
            StandardError.warn(warning)
        }
        try Self.fail(of: configuration)
    }

    private func show(_ configuration: Configuration, _ watches: [Watch]) async throws {
        print("state          \(global.stateFolder.text)")
        print("log            \(global.stateFolder.text)/ferry.log")
        for (name, destination) in configuration.destinations.sorted(by: { $0.key < $1.key }) {
            let mark = name == configuration.defaultDestination ? " (default)" : ""
            let address = ConfigurationText.address(destination.url)
            print("destination    \(SafeLine.text(name))\(mark): \(destination.protocolName) \(address)")
        }
        for (watch, settings) in zip(watches, configuration.watch) {
            print("watch          \(ConfigurationText.line(watch, settings))")
        }
        for (scope, timetable) in configuration.timetables {
            print("limit          \(ConfigurationText.line(scope, timetable))")
        }
        if case .file(let path) = configuration.appearance.theme {
            _ = try configuration.appearance.theme.load()
            print("theme          \(path)")
        }
        for entry in configuration.actions.entries where !ActionTable.standard.entries.contains(entry) {
            print("key            \(entry.name): \(entry.keyLabels)")
        }
        for event in QueueEvent.Name.allCases {
            for command in configuration.hooks.commands[event] ?? [] {
                let words = command.words.map(SafeLine.text).joined(separator: " ")
                print("hook           \(event.rawValue): \(words)\(command.isThere ? "" : " (not found)")")
            }
        }
        if configuration.notify.desktop {
            let events = QueueEvent.Name.allCases.filter(configuration.notify.events.contains)
            let issue = NotifySettings.desktopIssue.map { " (\($0))" } ?? ""
            print("notify         desktop: \(events.map(\.rawValue).joined(separator: ", "))\(issue)")
        }
        if configuration.connectivity.policy.isNeeded {
            print("network        \(await Self.network(configuration.connectivity.policy))")
        }
    }

    /// Throws `ExitCode(1)` if a secret is missing, because the uploads that need it are not sent.
    private static func fail(of configuration: Configuration) throws {
        if !configuration.missingSecrets.isEmpty { throw ExitCode(1) }
    }

    private static func network(_ policy: NetworkPolicy) async -> String {
        do throws(NetworkManager.Silence) {
            let network = try await NetworkManager().current()
            let name = SafeLine.text(network.name ?? "none") + (network.isMetered ? " (metered)" : "")
            return name + (policy.objection(to: network) == nil ? "" : ": uploads pause")
        } catch {
            return "not known: \(SafeLine.text(error.reason))"
        }
    }

    /// Returns a line of the key map: `details.retry        r                   retry this upload`.
    private static func line(_ entry: ActionTable.Entry) -> String {
        let columns = [(entry.name, 22), (entry.keyLabels, 30)].map { text, width in
            text + String(repeating: " ", count: max(2, width - text.count))
        }
        return columns.joined() + entry.help
    }
}
