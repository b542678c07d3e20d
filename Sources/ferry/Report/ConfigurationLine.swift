import FerryFiles
import FerryProtocols
import FerryTUI
import FerryTransfer
import FerryUploads

/// The line of `ferry config --json`.
struct ConfigurationLine: OutputLine {
    let configuration: Configuration
    /// The watches of the configuration, in the order of the configuration's member `watch`.
    let watches: [FerryUploads.Watch]
    let file: String?
    let folder: String

    private var destinations: [Destination] {
        configuration.destinations.sorted { $0.key < $1.key }.map { name, settings in
            Destination(
                name: name, settings: settings, isDefault: name == configuration.defaultDestination)
        }
    }

    private var hooks: [Hook] {
        QueueEvent.Name.allCases.flatMap { event in
            (configuration.hooks.commands[event] ?? []).map { command in
                Hook(event: event, command: command, timeout: configuration.hooks.timeout)
            }
        }
    }

    static let events: KeyValuePairs = ["configuration": "Where the files are, and what is configured."]
    static let members: [LineMember<Self>] = [
        .always("folder", "Of the queue and the logs.", \.folder),
        .always("destinations", "By name.", \.destinations),
        .always("watch", "Folders that are watched, in their order.") {
            zip($0.watches, $0.configuration.watch).map(Watch.init)
        },
        .always("hooks", "Commands that are run when something happens.", \.hooks),
        .always("limits", "Of all uploads together, then those of destinations by name.") {
            $0.configuration.timetables.map(Limit.init)
        },
        .always("warnings", "What may do harm, or does not work now.") {
            $0.configuration.warnings + $0.watches.flatMap(\.warnings) + $0.configuration.missingSecrets
        },
        .maybe("file", "The configuration; absent if there is none.", \.file),
        .maybe(
            "concurrency", "Uploads at once; absent for 4, or up to 32 small files.", as: .whole(1...256),
            \.configuration.limits.concurrency),
        .maybe(
            "perHost", "Uploads to one host at once; absent for as many as in total.", as: .whole(1...256),
            \.configuration.limits.perHost),
    ]

    private struct Destination: LineObject {
        let name: String
        let settings: DestinationSettings
        let isDefault: Bool

        static let members: [LineMember<Self>] = [
            .always("name", "As --to takes it.", \.name),
            .always("url", "Its address, without a query.") { UploadAddress.withoutQuery($0.settings.url) },
            .always("protocol", "As configured.", \.settings.protocolName),
            .always("isDefault", "Whether it is meant where none is named.", \.isDefault),
        ]
    }

    private struct Watch: LineObject {
        let watch: FerryUploads.Watch
        let settings: WatchSettings

        static let members: [LineMember<Self>] = [
            .always("folder", "Its path.", \.watch.folder.path.text),
            .always("there", "Whether there is such a folder.") {
                LocalFiles.isFolder($0.watch.folder.path.text) ?? false
            },
            .always("to", "A destination's name, or an address without a query.", \.watch.to),
            .always(
                "include", "Patterns for the files that are meant; all if there is none.", \.settings.include),
            .always("exclude", "Patterns for files and folders that are not.", \.settings.exclude),
            .always("recursive", "Whether folders in it belong to it.", \.settings.isRecursive),
            .always(
                "settle", "Seconds for which a file must not change.", as: .number(WatchSettings.settleRange),
                \.watch.settle),
            .always(
                "after", "What to do with an uploaded file.", as: .choice(["keep", "delete", "move"]),
                \.watch.after),
            .maybe("goal", "The folder that it is moved into.", \.watch.goal),
        ]
    }

    private struct Hook: LineObject {
        let event: QueueEvent.Name
        let command: HookCommand
        let timeout: Double

        static let members: [LineMember<Self>] = [
            .always("event", "When.", as: .choice(QueueEvent.Name.self), \.event.rawValue),
            .always(
                "command", "The program and its arguments.", as: .array(.text(), atLeast: 1), \.command.words),
            .always("there", "Whether there is such a program.", \.command.isThere),
            .always("timeout", "Seconds after which it is ended.", as: .number(0.1...3600), \.timeout),
        ]
    }

    /// A bandwidth limit of all uploads together, or of a destination.
    private struct Limit: LineObject {
        let scope: LimitScope
        let timetable: Timetable

        static let members: [LineMember<Self>] = [
            .always(
                "scope", "Whose uploads it is for.", as: .choice(["total", "destination"]), \.scope.kind),
            .always("timetable", "The first entry that matches local time wins.") {
                $0.timetable.entries.map(Entry.init)
            },
            .maybe("name", "Of the destination.", \.scope.name),
            .maybe(
                "bandwidth", "Bytes per second while no entry fits; absent without a limit.",
                as: .whole(1...Int.max), \.timetable.otherwise.rate),
        ]
    }

    private struct Entry: LineObject {
        let entry: Timetable.Entry

        static let members: [LineMember<Self>] = [
            .always(
                "days", "On which it begins.",
                as: .array(.choice(Timetable.Weekday.allCases.map(\.name)), atLeast: 1)
            ) { Timetable.Weekday.allCases.filter($0.entry.days.contains).map(\.name) },
            .always("from", "A time of day.", \.entry.from.text),
            .always("to", "A time of day; of the next one if it is not after from.", \.entry.to.text),
            .maybe(
                "bandwidth", "Bytes per second; absent without a limit.", as: .whole(1...Int.max),
                \.entry.bandwidth.rate),
        ]
    }
}
