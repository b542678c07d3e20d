import FerryProtocols
import FerryUploads

/// The line of `ferry config --json`.
struct ConfigurationLine: OutputLine {
    let configuration: Configuration
    /// The watched folders, in the same order as `configuration.watch`.
    let watches: [FerryUploads.Watch]
    let file: String?
    let folder: String

    private var destinations: [Destination] {
        configuration.destinations.sorted { $0.key < $1.key }.map { name, settings in
            Destination(name: name, settings: settings, isDefault: name == configuration.defaultDestination)
        }
    }

    private var hooks: [Hook] {
        QueueEvent.Name.allCases.flatMap { event in
            (configuration.hooks.commands[event] ?? []).map { command in
                Hook(event: event, command: command, timeout: configuration.hooks.timeout)
            }
        }
    }

    static let events: KeyValuePairs = ["configuration": "The paths of Ferry's files, and the configuration."]
    static let members: LineMembers<Self> = [
        .always("folder", "The folder of the queue and the logs.", \.folder),
        .always("destinations", "The destinations, sorted by name.", \.destinations),
        .always("watch", "The watched folders, as the configuration lists them.") {
            zip($0.watches, $0.configuration.watch).map(Watch.init)
        },
        .always("hooks", "The commands that run at events.", \.hooks),
        .always("limits", "The limits of all uploads together, then of destinations, sorted by name.") {
            $0.configuration.timetables.map(Limit.init)
        },
        .always("warnings", "The settings that may do harm or do not work now.") {
            $0.configuration.warnings + $0.watches.flatMap(\.warnings) + $0.configuration.missingSecrets
        },
        .maybe("file", "The path of the configuration file; absent if there is none.", \.file),
        .maybe(
            "concurrency", "The most uploads at once; absent for 4, or up to 256 small files.",
            as: .whole(QueueSettings.slotCounts), \.configuration.limits.concurrency),
        .maybe(
            "perHost", "The most uploads to one host at once; absent if only the total is limited.",
            as: .whole(QueueSettings.slotCounts), \.configuration.limits.perHost),
    ]

    private struct Destination: LineObject {
        let name: String
        let settings: DestinationSettings
        let isDefault: Bool

        static let members: LineMembers<Self> = [
            .always("name", "The name that `--to` takes.", \.name),
            .always("url", "The URL, without its query.") { UploadAddress.withoutQuery($0.settings.url) },
            .always("protocol", "The protocol in the configuration.", \.settings.protocolName),
            .always("isDefault", "Whether it is the default destination.", \.isDefault),
        ]
    }

    private struct Watch: LineObject {
        let watch: FerryUploads.Watch
        let settings: WatchSettings

        static let members: LineMembers<Self> = [
            .always("folder", "The path of the folder.", \.watch.folder.path.text),
            .always("there", "Whether the folder exists.") {
                LocalFiles.isFolder($0.watch.folder.path.text) ?? false
            },
            .always("to", "The name of the destination, or its URL without a query.", \.watch.to),
            .always(
                "include", "The patterns for the files to upload; all files if there is none.",
                \.settings.include),
            .always("exclude", "The patterns for files and folders to leave out.", \.settings.exclude),
            .always("recursive", "Whether subfolders are watched too.", \.settings.isRecursive),
            .always(
                "settle", "How many seconds a file must be unchanged.",
                as: .number(WatchSettings.settleRange), \.watch.settle),
            .always(
                "after", "The treatment of a file after its upload.",
                as: .choice(["keep", "delete", "move"]), \.watch.after),
            .maybe("goal", "The folder to which the file is moved.", \.watch.goal),
        ]
    }

    private struct Hook: LineObject {
        let event: QueueEvent.Name
        let command: HookCommand
        let timeout: Double

        static let members: LineMembers<Self> = [
            .always(
                "event", "The event at which the command runs.", as: .choice(QueueEvent.Name.self),
                \.event.rawValue),
            .always(
                "command", "The program and its arguments.", as: .array(.text(), atLeast: 1), \.command.words),
            .always("there", "Whether the program exists.", \.command.isThere),
            .always(
                "timeout", "How many seconds the command may run before it is killed.",
                as: .number(0.1...3600), \.timeout),
        ]
    }

    private struct Limit: LineObject {
        let scope: LimitScope
        let timetable: Timetable

        static let members: LineMembers<Self> = [
            .always(
                "scope", "The uploads that share the limit.", as: .choice(["total", "destination"]),
                \.scope.kind),
            .always("timetable", "The entries; the first that matches local time applies.") {
                $0.timetable.entries
            },
            .maybe("name", "The name of the destination.", \.scope.name),
            .maybe(
                "bandwidth", "Bytes per second while no entry matches; absent without a limit.",
                as: .positive, \.timetable.otherwise.rate),
        ]
    }
}

extension Timetable.Entry: LineObject {
    static let members: LineMembers<Self> = [
        .always(
            "days", "The days on which the entry begins.",
            as: .array(.choice(Timetable.Weekday.allCases.map(\.name)), atLeast: 1)
        ) { Timetable.Weekday.allCases.filter($0.days.contains).map(\.name) },
        .always("from", "The time of day when the entry begins.", \.from.text),
        .always(
            "to", "The time of day when the entry ends, on the next day if it is not after `from`.",
            \.to.text),
        .maybe(
            "bandwidth", "Bytes per second; absent without a limit.", as: .positive,
            \.bandwidth.rate),
    ]
}
