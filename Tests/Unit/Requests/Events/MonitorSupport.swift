import FerryProtocols
import FerryRequests
import FerryTestSupport
import FerryTransfer
import HTTPTypes
import Logging
import Metrics
import Synchronization

/// Keeps the lines of a logger.
final class LogLines: Sendable {
    struct Line: Sendable {
        var level: Logging.Logger.Level
        var message: String
        var metadata: [String: String]
    }

    private let state = Mutex<[Line]>([])

    var lines: [Line] { state.withLock { $0 } }

    func logger(_ level: Logging.Logger.Level) -> Logging.Logger {
        var logger = Logging.Logger(label: "test") { _ in Handler(log: self) }
        logger.logLevel = level
        return logger
    }

    private struct Handler: LogHandler {
        let log: LogLines
        var metadata: Logging.Logger.Metadata = [:]
        var logLevel = Logging.Logger.Level.trace

        subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = Line(
                level: event.level, message: "\(event.message)",
                metadata: (event.metadata ?? [:]).mapValues { "\($0)" })
            log.state.withLock { $0.append(line) }
        }
    }
}

/// Keeps counters and timers, and counts the handlers that were made.
final class MetricsLog: MetricsFactory {
    private struct State {
        var made = 0
        var counts: [String: Int64] = [:]
        var times: [String: [Int64]] = [:]
    }

    private let state = Mutex(State())

    var made: Int { state.withLock { $0.made } }
    /// The counts by name and dimensions, such as `ferry_requests outcome=failed`.
    var counts: [String: Int64] { state.withLock { $0.counts } }
    /// The times in nanoseconds, by name and dimensions.
    var times: [String: [Int64]] { state.withLock { $0.times } }

    private func made(_ label: String, _ dimensions: [(String, String)]) -> String {
        state.withLock { $0.made += 1 }
        return ([label] + dimensions.map { "\($0.0)=\($0.1)" }).joined(separator: " ")
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Handler(name: made(label, dimensions), log: self)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Handler(name: made(label, dimensions), log: self)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        Handler(name: made(label, dimensions), log: self)
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private final class Handler: CounterHandler, TimerHandler, RecorderHandler {
        let name: String
        let log: MetricsLog

        init(name: String, log: MetricsLog) {
            self.name = name
            self.log = log
        }

        func increment(by amount: Int64) { log.state.withLock { $0.counts[name, default: 0] += amount } }
        func reset() {}
        func recordNanoseconds(_ duration: Int64) {
            log.state.withLock { $0.times[name, default: []].append(duration) }
        }
        func record(_ value: Int64) {}
        func record(_ value: Double) {}
    }
}

/// An event of each kind.
let everyEvent: [TransferEvent] = {
    let summary = RequestSummary(
        TransportRequest(method: .put, url: "https://h/f?a=b", body: .bytes([1, 2, 3])))
    return [
        .created(summary), .adapted(summary), .started, .sent(bytes: 2, total: 3, expected: 4), .waiting,
        .responded(status: 307, bytesSent: 3, after: .milliseconds(1500)),
        .broke(summary: "it broke", bytesSent: 2, after: .milliseconds(20)),
        .redirected(status: 307, to: "https://h/g"), .retriedOnFreshConnection,
        .retrying(after: .seconds(2), reason: "it broke"), .refreshed(after: .milliseconds(7)),
        .serverLost(9), .protocolChosen("put, because x"),
        .suspended, .resumed, .finished(status: 201, after: .seconds(61)),
        .failed(reason: "it failed", after: .seconds(1)), .cancelled(after: .zero),
        .certificateNotVerified(host: "h.example"),
    ]
}()
