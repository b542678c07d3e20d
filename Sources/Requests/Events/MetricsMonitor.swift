import FerryProtocols
public import FerryTransfer
public import Metrics
import Synchronization

/// Counts and times requests with swift-metrics.
///
/// | name | kind | dimensions |
/// | --- | --- | --- |
/// | `ferry_requests` | counter: requests that ended | `outcome`: `finished`, `failed`, `cancelled` |
/// | `ferry_responses` | counter: responses | `status` |
/// | `ferry_request_duration` | timer: from creation to end | `outcome` |
/// | `ferry_sent_bytes` | counter: body bytes sent, including those sent again | |
/// | `ferry_retries` | counter: retries | |
/// | `ferry_refreshes` | counter: refreshes of credentials | |
/// | `ferry_broken_connections` | counter: attempts that ended without a usable response | |
///
/// URLs and labels are not dimensions, because their number is unlimited.
public struct MetricsMonitor: EventMonitor {
    private let factory: any MetricsFactory
    private let counters = Handlers<Counter>()
    private let timers = Handlers<Timer>()
    private let sentBytes: Counter
    private let retries: Counter
    private let refreshes: Counter
    private let broken: Counter

    /// - Parameter factory: The factory of the counters and timers; by default the current one of `MetricsSystem`.
    public init(factory: any MetricsFactory = MetricsSystem.factory) {
        self.factory = factory
        sentBytes = Counter(label: "ferry_sent_bytes", factory: factory)
        retries = Counter(label: "ferry_retries", factory: factory)
        refreshes = Counter(label: "ferry_refreshes", factory: factory)
        broken = Counter(label: "ferry_broken_connections", factory: factory)
    }

    public func receive(_ event: TransferEvent, of request: RequestContext) {
        switch event {
        case .sent(let bytes, _, _): sentBytes.increment(by: bytes)
        case .retrying: retries.increment()
        case .refreshed: refreshes.increment()
        case .broke: broken.increment()
        case .responded(let status, _, _): counter("ferry_responses", ("status", "\(status)")).increment()
        case .finished(_, let time): end("finished", after: time)
        case .failed(_, let time): end("failed", after: time)
        case .cancelled(let time): end("cancelled", after: time)
        case .created, .adapted, .started, .waiting, .redirected, .retriedOnFreshConnection, .serverLost,
            .protocolChosen, .suspended, .resumed, .certificateNotVerified:
            break
        }
    }

    private func end(_ outcome: String, after time: Duration) {
        let dimension = ("outcome", outcome)
        counter("ferry_requests", dimension).increment()
        timers.handler("ferry_request_duration", outcome) {
            Timer(label: $0, dimensions: [dimension], factory: factory)
        }.record(duration: time)
    }

    private func counter(_ label: String, _ dimension: (String, String)) -> Counter {
        counters.handler(label, dimension.1) {
            Counter(label: $0, dimensions: [dimension], factory: factory)
        }
    }
}

/// The counters or timers by name and dimension value, each created once: some metrics backends never release them.
private final class Handlers<Handler: Sendable>: Sendable {
    private struct Key: Hashable {
        var label: String
        var value: String
    }

    private let handlers = Mutex<[Key: Handler]>([:])

    func handler(_ label: String, _ value: String, make: (String) -> Handler) -> Handler {
        handlers.withLock { handlers in
            let key = Key(label: label, value: value)
            let handler = handlers[key] ?? make(label)
            handlers[key] = handler
            return handler
        }
    }
}
