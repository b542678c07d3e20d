import FerryProtocols
import FerryReceiver
import FerryTUI
import FerryTestSupport
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryCommand

/// The declared schema beside what the lines for programs are made of.
struct OutputSchemaTests {
    /// A line of each kind in which nothing is left out.
    private static var samples: [any OutputLine] {
        let lines: [(any OutputLine)?] = [
            upload(), finished(), AddedLine(new, id: 1), skipped(), changed(),
            CountsLine(event: "idle", counts: ["done": 2]),
            NetworkLine(event: "offline", reason: "no address"),
            StorageLine(event: "notSaved", text: "the disk is full", hint: "make room"),
            NoticeLine(Notice(kind: .warning, text: "not verified")),
            RetryAfterPauseLine(event: "slow", pause), status(), StopLine(running: false, process: 7),
            check(),
            verified(),
            ConfigurationLine(
                configuration, watches: [watch], file: "/home/ann/config.json", folder: "/home/ann/state"),
            LimitLine(event: "limit", limits[1]), FlushedLine(file: "/home/ann/state/queue.json"),
            ListeningLine(
                url: "http://h.example/", tus: "http://h.example/files/", folder: "in", tokenFile: "in/token"),
            received(),
            ReloadLine(
                ReloadReport(
                    file: "/home/ann/config.json",
                    changes: ConfigurationChanges(
                        from: Configuration(), to: configuration, since: Configuration()),
                    retry: [1], warnings: ["w"])),
        ]
        return lines.compactMap { $0 }
    }

    private static let moment = Date(timeIntervalSince1970: 1_800_000_000)
    private static let limits = [
        BandwidthLimit(.total, .atMost(1 << 20), origin: .timetable, until: moment),
        BandwidthLimit(.destination("d"), .atMost(1 << 20), origin: .timetable, until: moment),
    ]
    private static let pause = RetryAfterPause(host: "h.example", status: 503, until: moment, waiting: 2)
    private static let new = NewUpload(
        path: LocalPath(bytes: [0x2F, 0xFF]), identity: Upload.boxed(1).identity,
        target: Upload.boxed(1).target,
        batch: "day 3", start: Upload.StartCondition(notBefore: moment, after: [1...2]))

    private static func upload(_ event: String = "state") -> UploadRecordLine {
        var line = UploadRecordLine(event: event, .boxed(1, .waiting, attempts: 2))
        line.hint = "try later"
        line.batch = "day 3"
        line.startsAt = moment
        line.after = [1]
        line.location = "https://box.example/1"
        line.because = "the server says so"
        line.parts = .init(held: 1, planned: 2)
        line.expires = moment
        line.verified = DigestAlgorithm.sha256.rawValue
        line.duration = 0.25
        line.wasThere = true
        line.source = SourceDisposition.replaced.rawValue
        line.possibleDuplicate = true
        (line.rate, line.eta) = (1_000_000, 12.5)
        return line
    }

    private static func finished() -> FinishedLine {
        var line = FinishedLine(HistoryEntry(outcome: .removed, at: moment, upload: .boxed(1, .failed)))
        line.upload = upload("finished")
        return line
    }

    private static func changed() -> ChangedLine {
        var line = ChangedLine(QueueChangeKind.unadded(done: 2), [1, 2])
        line.at = moment
        return line
    }

    private static func skipped() -> SkippedLine { SkippedLine(new, known: .boxed(3, .done)) }

    private static func status() -> StatusLine {
        let status = EngineStatus(
            network: .offline(since: moment, reason: "no address"), limits: limits,
            notice: UploadFailure(.storage, "the disk is full"), retryAfterPauses: [pause],
            unreachableHosts: [UnreachableHost(host: "h.example", reason: "is not found", waiting: 1)])
        return StatusLine(
            EngineReport(
                process: 7, since: moment, status: status,
                counts: .init([.boxed(1, .running), .boxed(2, .held)]),
                estimate: TransferEstimate(rate: 1_000_000, remaining: 12.5), screens: 1,
                watched: [
                    .init(
                        folder: "/home/ann/out", to: "d", there: true, settle: 5, after: "move",
                        goal: "/home/ann/sent", settling: 1, inUse: 2)
                ]))
    }

    private static func check() -> CheckLine {
        let known = ServerCapabilities(extensions: ["creation"], maximumSize: 1 << 30, asked: moment)
        let leftover = CheckReport.Leftover(name: "a", begun: moment, resource: UploadResource(url: "/a"))
        var line = CheckLine(
            CheckResult(
                destination: Destination(name: "d", url: "https://h.example/", protocolName: "tus"),
                failure: UploadFailure(.server, "busy", hint: "ask later", status: 503), findings: ["it is"],
                known: known,
                leftovers: [.init(leftover: leftover, fate: .stays(UploadFailure(.server, "busy")))]))
        line.because = "the server says so"
        line.leftovers = line.leftovers.map { leftover in
            var leftover = leftover
            (leftover.size, leftover.changed, leftover.givenUp) = (5, moment, moment)
            return leftover
        }
        return line
    }

    private static func received() -> ReceiverLine? {
        var line = ReceiverLine(.finished(id: "1", name: "a", size: 5))
        line?.kept = 3
        line?.status = 403
        line?.reason = "no"
        line?.request = "PUT /a"
        line?.offset = 2
        return line
    }

    private static func verified() -> VerifiedLine {
        let files = [VerifiedLine.File(name: "queue.json", bytes: 9)]
        return VerifiedLine(
            ok: false, folder: "/home/ann", generation: 3, counts: ["queued": 1], pendingBytes: 0,
            files: files, leftOver: files, inUse: "in use", notices: ["n"], problems: ["p"], hint: "h")
    }

    private static let watch = Watch(
        folder: WatchedFolder(path: LocalPath("/nowhere/out"), after: .move(to: LocalPath("/nowhere/sent"))),
        destination: Destination(name: "d", url: "https://h.example/", protocolName: "tus"))

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.defaultDestination = "d"
        configuration.watch = [WatchSettings(folder: "/nowhere/out")]
        configuration.hooks.commands[.done] = [HookCommand(words: ["true"])]
        (configuration.limits.concurrency, configuration.limits.perHost) = (8, 2)
        configuration.limits.bandwidth = Timetable(
            [.init(days: [.monday], .atMost(1 << 20))], otherwise: .atMost(2 << 20))
        return configuration
    }

    /// A stored property of a line, which is a member of it.
    private struct Property: Hashable {
        var name: String
        var isOptional: Bool
        var isThere: Bool
    }

    private static func properties(of line: any OutputLine) -> [Property] {
        Mirror(reflecting: line).children.flatMap { child -> [Property] in
            if let inner = child.value as? UploadRecordLine { return properties(of: inner) }
            let value = Mirror(reflecting: child.value)
            let isOptional = value.displayStyle == .optional
            return [
                Property(
                    name: child.label ?? "", isOptional: isOptional,
                    isThere: !isOptional || !value.children.isEmpty)
            ]
        }
    }

    @Test func `there is a sample of each kind of line`() {
        #expect(Self.samples.map { type(of: $0).schema.name } == OutputSchema.lines.map(\.name))
        let events = OutputSchema.lines.flatMap { $0.events.map(\.name) }
        #expect(Set(events).count == events.count)
    }

    @Test(arguments: OutputSchema.lines.indices)
    func `the members of a line are those of its schema, and those that may be missing too`(index: Int) {
        let line = Self.samples[index]
        let schema = type(of: line).schema
        let properties = Self.properties(of: line).filter { $0.name != "event" }
        #expect(properties.filter { !$0.isThere } == [], "the sample leaves something out")
        #expect(Set(properties.map(\.name)) == Set((schema.always + schema.sometimes).map(\.name)))
        #expect(Set(properties.filter(\.isOptional).map(\.name)) == Set(schema.sometimes.map(\.name)))
    }

    @Test(arguments: OutputSchema.lines.indices)
    func `a line with all its members fits its schema`(index: Int) throws {
        let text = JSONLine.text(Self.samples[index])
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        #expect(type(of: Self.samples[index]).schema.schema.issue(in: value) == nil, "\(text)")
    }

    @Test func `every event is printed by a command or read by a hook, and has a schema`() {
        let told = Set(OutputSchema.commands.values.joined()).union(OutputSchema.hooks)
        let events = OutputSchema.lines.flatMap { $0.events.map(\.name) }
        #expect(told == Set(events))
    }

    @Test func `states are those that uploads have`() {
        let states: [Upload.State] = [
            .queued, .running, .waiting, .paused(.user), .held, .done, .failed,
        ]
        #expect(states.map(\.kind) == UploadRecordLine.states)
    }

    @Test func `every command that takes --json says what it prints`() async throws {
        let dump = try await Workplace().ferry("--experimental-dump-help")
        let root = try JSONDecoder().decode(Dump.self, from: Data(dump.output.utf8)).command
        let found = (root.subcommands ?? []).flatMap { $0.takingJSON(below: []) }
        #expect(Set(found) == Set(OutputSchema.commands.keys))
    }

    private struct Dump: Decodable {
        struct Command: Decodable {
            struct Argument: Decodable {
                struct Name: Decodable { var name: String }

                var names: [Name]?
            }

            var commandName: String
            var arguments: [Argument]?
            var subcommands: [Command]?

            func takingJSON(below words: [String]) -> [String] {
                let words = words + [commandName]
                let takesIt = (arguments ?? []).contains { $0.names?.contains { $0.name == "json" } ?? false }
                return (takesIt ? [words.joined(separator: " ")] : [])
                    + (subcommands ?? []).flatMap { $0.takingJSON(below: words) }
            }
        }

        var command: Command
    }
}
