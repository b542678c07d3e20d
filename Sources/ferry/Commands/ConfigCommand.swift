import ArgumentParser
import FerryTUI
import FerryTransfer
import FerryUploads
import Foundation

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show where Ferry's files are, and check the configuration.",
        discussion: "Exit status: 0 all is well, 1 a secret is missing, 2 the configuration is wrong.")

    @Flag(help: "Print a configuration to begin with.") var printExample = false
    @Flag(help: "Print all actions of the screen with their keys, as `keys` of the configuration names them.")
    var keys = false

    @Flag(help: "Print a JSON Schema of the configuration, for editors that complete and check it.")
    var schema = false
    @Flag(help: "Print a JSON Schema of the lines that --json prints and hooks read.") var outputSchema =
        false
    @Flag(help: "One JSON object: where the files are, and what is configured.") var json = false
    @Flag(help: "Print a unit for systemd that keeps ferry running for this user.") var systemd = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        if systemd {
            _ = try global.loadConfiguration()
            let unit = SystemdUnit.text(program: Self.program, arguments: global.unitArguments)
            return print(unit, terminator: "")
        }
        if schema { return print(ConfigurationSchema.text) }
        if outputSchema { return print(OutputSchema.text) }
        if printExample {
            print(ExampleConfiguration.text, terminator: "")
            return
        }
        let file = global.configuration.map(LocalFiles.expanded) ?? LocalFiles.configuration
        let configuration = try global.loadConfiguration()
        if keys {
            for entry in configuration.actions.entries { print(Self.line(entry)) }
            return
        }
        let isThere = LocalFiles.mode(of: file) != nil
        let watches = try global.assembly().checkedWatches()
        if json {
            let line = ConfigurationLine(
                configuration, watches: watches, file: isThere ? file : nil, folder: global.stateFolder.text)
            print(JSONLine.text(line))
            return try Self.fail(of: configuration)
        }
        print("configuration  \(file)\(isThere ? "" : " (none; `ferry init` makes one)")")
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
            let events = QueueEvent.Name.allCases.filter(configuration.notify.call.events.contains)
            let flaw = NotifySettings.desktopFlaw.map { " (\($0))" } ?? ""
            print("notify         desktop: \(events.map(\.rawValue).joined(separator: ", "))\(flaw)")
        }
        if configuration.connectivity.policy.isNeeded {
            print("network        \(await Self.network(configuration.connectivity.policy))")
        }
        for warning in configuration.warnings + watches.flatMap(\.warnings) + configuration.missingSecrets {
            StandardError.write("\(Notice(kind: .warning, text: warning).line)\n")
        }
        try Self.fail(of: configuration)
    }

    /// A configuration by which uploads would be held is not all right.
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

    /// Where this ferry is.
    private static var program: String { Bundle.main.executablePath ?? "/usr/bin/ferry" }

    /// `details.retry        r                   try this one again`
    private static func line(_ entry: ActionTable.Entry) -> String {
        let columns = [(entry.name, 22), (entry.keyLabels, 30)].map { text, width in
            text + String(repeating: " ", count: max(2, width - text.count))
        }
        return columns.joined() + entry.help
    }
}
