import FerryFiles
import FerryProtocols
import FerryTUI
import FerryTransfer
import FerryUploads

/// The line of `ferry config --json`.
struct ConfigurationLine: OutputLine {
    struct Destination: Encodable {
        var name: String
        var url: String
        var `protocol`: String
        var isDefault: Bool
    }

    struct Watch: Encodable {
        var folder: String
        var there: Bool
        var to: String
        var include: [String]
        var exclude: [String]
        var recursive: Bool
        /// The number of seconds for which a file must not change.
        var settle: Double
        /// The treatment of an uploaded file: `keep`, `delete` or `move`.
        var after: String
        /// The folder to move to, if `after` is `move`.
        var goal: String?
    }

    struct Hook: Encodable {
        var event: String
        var command: [String]
        var there: Bool
        /// The number of seconds after which a command is killed.
        var timeout: Double
    }

    /// A limit of all uploads together, or of a destination.
    struct Limit: Encodable {
        struct Entry: Encodable {
            var days: [String]
            var from: String
            var to: String
            /// The limit in bytes per second; absent without a limit.
            var bandwidth: ByteCount?
        }

        var scope: String
        var name: String?
        /// The limit in bytes per second while no entry applies; absent without a limit.
        var bandwidth: ByteCount?
        var timetable: [Entry]
    }

    var event = "configuration"
    var file: String?
    var folder: String
    var destinations: [Destination]
    var watch: [Watch]
    var hooks: [Hook]
    /// The number of uploads at once; absent for 4, or up to 32 small files.
    var concurrency: Int?
    /// The number of uploads at once to one host; absent for the total number.
    var perHost: Int?
    var limits: [Limit]
    var warnings: [String]

    /// - Parameter watches: The watches of the configuration, in its sequence.
    init(_ configuration: Configuration, watches: [FerryUploads.Watch], file: String?, folder: String) {
        self.file = file
        self.folder = folder
        destinations = configuration.destinations.sorted { $0.key < $1.key }.map { name, settings in
            Destination(
                name: name, url: UploadAddress.withoutQuery(settings.url), protocol: settings.protocolName,
                isDefault: name == configuration.defaultDestination)
        }
        watch = zip(watches, configuration.watch).map(Watch.init)
        hooks = QueueEvent.Name.allCases.flatMap { event in
            (configuration.hooks.commands[event] ?? []).map { command in
                Hook(
                    event: event.rawValue, command: command.words, there: command.isThere,
                    timeout: configuration.hooks.timeout)
            }
        }
        concurrency = configuration.limits.concurrency
        perHost = configuration.limits.perHost
        limits = configuration.timetables.map(Limit.init)
        warnings = configuration.warnings + watches.flatMap(\.warnings) + configuration.missingSecrets
    }
}

extension ConfigurationLine.Watch {
    fileprivate init(_ watch: FerryUploads.Watch, _ settings: WatchSettings) {
        folder = watch.folder.path.text
        there = LocalFiles.isFolder(folder) ?? false
        to = watch.to
        (include, exclude) = (settings.include, settings.exclude)
        recursive = settings.isRecursive
        (settle, after, goal) = (watch.settle, watch.after, watch.goal)
    }
}

extension ConfigurationLine.Limit {
    fileprivate init(_ scope: LimitScope, _ timetable: Timetable) {
        let line = LimitLine(BandwidthLimit(scope, timetable.otherwise))
        (self.scope, name, bandwidth) = (line.scope, line.name, line.bandwidth)
        self.timetable = timetable.entries.map { entry in
            Entry(
                days: Timetable.Weekday.allCases.filter(entry.days.contains).map(\.name),
                from: entry.from.text,
                to: entry.to.text, bandwidth: entry.bandwidth.rate)
        }
    }
}
