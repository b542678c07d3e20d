import FerryTestSupport
import Foundation
import HTTPTypes
import Logging
import Metrics
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

struct LoggingMonitorTests {
    @Test func `every event has its level, and says which request`() {
        let log = LogLines()
        let monitor = LoggingMonitor(log.logger(.trace))
        let context = RequestContext(label: "film", attempt: 2)
        for event in everyEvent { monitor.receive(event, of: context) }
        let levels: [Logging.Logger.Level] = [
            .debug, .debug, .debug, .trace, .debug, .debug, .notice, .info, .info, .notice, .info, .notice,
            .info, .debug,
            .debug, .info, .warning, .info, .warning,
        ]
        #expect(log.lines.map(\.level) == levels)
        #expect(log.lines.map(\.message) == everyEvent.map(\.summary))
        #expect(
            log.lines.allSatisfy {
                $0.metadata == ["request": "\(context.id)", "attempt": "2", "label": "film"]
            })
    }

    @Test func `a request without a label has none in its metadata`() {
        let log = LogLines()
        LoggingMonitor(log.logger(.trace)).receive(.started, of: RequestContext())
        #expect(log.lines.first.map { Set($0.metadata.keys) } == ["request", "attempt"])
    }

    @Test func `events below the logger's level are not written`() {
        let log = LogLines()
        let monitor = LoggingMonitor(log.logger(.warning))
        for event in everyEvent { monitor.receive(event, of: RequestContext()) }
        #expect(
            log.lines.map(\.message)
                == everyEvent.filter { ["failed", "certificateNotVerified"].contains($0.name) }.map(\.summary)
        )
    }

    @Test func `summaries are short and for people`() {
        #expect(
            everyEvent.map(\.summary) == [
                "created PUT https://h/f?a=…", "PUT https://h/f?a=… (3 bytes)", "started",
                "sent 3 of 4 bytes", "waiting for the answer", "answered 307 after 3 bytes, 1.500 s",
                "broke after 2 bytes, 0.020 s: it broke", "redirected (307) to https://h/g",
                "again on a fresh connection", "again after 2.000 s: it broke",
                "credentials renewed in 0.007 s", "the server lost 9 bytes it had acknowledged",
                "goes by put, because x", "suspended",
                "resumed", "finished with 201 after 61.000 s", "failed after 1.000 s: it failed",
                "cancelled after 0.000 s", "warning: the certificate of h.example is NOT verified",
            ])
    }
}

struct JSONLinesMonitorTests {
    private func objects(_ path: String) throws -> [[String: Any]] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.isEmpty || text.hasSuffix("\n"))
        return try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test func `every event is one line of the members that are documented`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("events.jsonl")
        let date = Date(timeIntervalSince1970: 1.25)
        let monitor = try JSONLinesMonitor(
            appendingTo: LocalPath(path), includesProgress: true, now: { date })
        let context = RequestContext(label: "film", attempt: 3)
        for event in everyEvent { monitor.receive(event, of: context) }
        monitor.flush()
        let objects = try objects(path)
        #expect(objects.map { $0["event"] as? String } == everyEvent.map(\.name))
        for object in objects {
            #expect(object["time"] as? String == "1970-01-01T00:00:01.250Z")
            #expect(object["request"] as? String == context.id.uuidString)
            #expect(object["attempt"] as? Int == 3)
            #expect(object["label"] as? String == "film")
        }
        let common: Set = ["time", "event", "request", "attempt", "label"]
        let own: [Set<String>] = [
            ["method", "url", "expected"], ["method", "url", "expected"], [], ["bytes", "total", "expected"],
            [],
            ["status", "total", "seconds"], ["reason", "total", "seconds"], ["status", "url"], [],
            ["seconds", "reason"], ["seconds"], ["bytes"], ["reason"], [], [], ["status", "seconds"],
            ["reason", "seconds"], ["seconds"], ["host"],
        ]
        #expect(objects.map { Set($0.keys).subtracting(common) } == own)
        #expect(objects[5]["seconds"] as? Double == 1.5)
        #expect(objects[1]["url"] as? String == "https://h/f?a=…")
    }

    @Test func `writes of a body are left out unless they are wanted`() throws {
        let directory = try TemporaryDirectory()
        let monitor = try JSONLinesMonitor(appendingTo: LocalPath(directory.path("events.jsonl")))
        for event in everyEvent { monitor.receive(event, of: RequestContext()) }
        monitor.flush()
        #expect(try objects(directory.path("events.jsonl")).count == everyEvent.count - 1)
    }

    @Test func `the file is for its owner alone, and is appended to`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("events.jsonl")
        for _ in 0..<2 {
            let monitor = try JSONLinesMonitor(appendingTo: LocalPath(path))
            monitor.receive(.started, of: RequestContext())
            monitor.flush()
        }
        #expect(try objects(path).count == 2)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `lines of many requests and of two writers do not mix`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("events.jsonl")
        let monitors = try (0..<2).map { _ in try JSONLinesMonitor(appendingTo: LocalPath(path)) }
        let reason = String(repeating: "long \"quoted\" text\n", count: 200)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        monitors[number % 2].receive(
                            .failed(reason: reason, after: .zero), of: RequestContext())
                    }
                }
            }
        }
        for monitor in monitors { monitor.flush() }
        let objects = try objects(path)
        #expect(objects.count == 400)
        #expect(objects.allSatisfy { $0["reason"] as? String == reason })
    }

    @Test func `a path that cannot be a file for events is refused by name`() throws {
        let directory = try TemporaryDirectory()
        try directory.write([1], to: "target")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("link"), withDestinationPath: directory.path("target"))
        mkfifo(directory.path("pipe"), 0o600)
        for path in [
            directory.path("link"), directory.path("pipe"), directory.path, directory.path("no/such"),
        ] {
            #expect {
                try JSONLinesMonitor(appendingTo: LocalPath(path))
            } throws: { error in
                let failure = error as? UploadFailure
                return failure?.category == .storage && failure?.summary.hasPrefix(path) == true
                    && failure?.hint != nil
            }
        }
        #expect(FileManager.default.contents(atPath: directory.path("target")) == Data([1]))
    }

    @Test(arguments: [true, false])
    func `a full disk and a folder that is gone cost a line, not a request`(isFull: Bool) async throws {
        let folder = try TemporaryDirectory()
        let path = isFull ? "/dev/full" : folder.path("events.jsonl")
        let monitor = try JSONLinesMonitor(appendingTo: LocalPath(path), includesProgress: true)
        if !isFull { try FileManager.default.removeItem(atPath: folder.path) }
        let transport = HeldTransport()
        transport.answer.open()
        let status = try await Session.making(transport, monitors: [monitor])
            .upload(.data([1]), to: "http://h/f").status()
        #expect(status == 200)
        monitor.flush()
    }
}

struct MetricsMonitorTests {
    @Test func `every event counts as it is documented`() {
        let metrics = MetricsLog()
        let monitor = MetricsMonitor(factory: metrics)
        for event in everyEvent { monitor.receive(event, of: RequestContext()) }
        #expect(
            metrics.counts == [
                "ferry_requests outcome=finished": 1, "ferry_requests outcome=failed": 1,
                "ferry_requests outcome=cancelled": 1, "ferry_responses status=307": 1, "ferry_sent_bytes": 2,
                "ferry_retries": 1, "ferry_refreshes": 1, "ferry_broken_connections": 1,
            ])
        #expect(
            metrics.times == [
                "ferry_request_duration outcome=finished": [61_000_000_000],
                "ferry_request_duration outcome=failed": [1_000_000_000],
                "ferry_request_duration outcome=cancelled": [0],
            ])
    }

    @Test func `a request over a real connection is counted`() async throws {
        let metrics = MetricsLog()
        let server = try HostileServer([.answer(503), .answer(201)])
        defer { server.stop() }
        try await withTransport { transport in
            var options = RequestOptions()
            options.interceptor = Interceptor(retriers: [AlwaysRetry()])
            let session = Session.making(
                transport, validation: .automatic, monitors: [MetricsMonitor(factory: metrics)])
            let body = UploadBody.data([UInt8](repeating: 1, count: 300_000))
            _ = try await session.upload(body, to: server.url(), options: options).status()
        }
        #expect(metrics.counts["ferry_sent_bytes"] == 600_000)
        #expect(metrics.counts["ferry_retries"] == 1)
        #expect(metrics.counts["ferry_responses status=503"] == 1)
        #expect(metrics.counts["ferry_responses status=201"] == 1)
        #expect(metrics.counts["ferry_requests outcome=finished"] == 1)
        #expect(metrics.times["ferry_request_duration outcome=finished"]?.count == 1)
    }

    @Test func `handlers are made once, however many requests there are`() {
        let metrics = MetricsLog()
        let monitor = MetricsMonitor(factory: metrics)
        for event in everyEvent { monitor.receive(event, of: RequestContext()) }
        let made = metrics.made
        for _ in 0..<100 {
            let copy = monitor
            for event in everyEvent { copy.receive(event, of: RequestContext()) }
        }
        #expect(metrics.made == made)
        #expect(metrics.counts["ferry_requests outcome=failed"] == 101)
    }
}
