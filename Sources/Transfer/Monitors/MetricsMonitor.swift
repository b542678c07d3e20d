public import Metrics
import UploadProtocols

/// Counts and times requests with swift-metrics.
///
/// | name | kind | dimensions |
/// | --- | --- | --- |
/// | `ferry_requests` | counter: requests that ended | `outcome`: `finished`, `failed`, `cancelled` |
/// | `ferry_responses` | counter: answers | `status` |
/// | `ferry_request_duration` | timer: creation to end | `outcome` |
/// | `ferry_sent_bytes` | counter: bytes of bodies, repeated ones too | |
/// | `ferry_retries`, `ferry_refreshes`, `ferry_broken_connections` | counters | |
///
/// Addresses and labels are no dimensions: their number has no bound.
public struct MetricsMonitor: EventMonitor {
    private let factory: any MetricsFactory
    private let sentBytes: Counter
    private let retries: Counter
    private let refreshes: Counter
    private let broken: Counter

    /// - Parameter factory: The one of `MetricsSystem` if there is no other.
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
        case .responded(let status, _, _):
            Counter(label: "ferry_responses", dimensions: [("status", "\(status)")], factory: factory)
                .increment()
        case .finished(_, let time): end("finished", after: time)
        case .failed(_, let time): end("failed", after: time)
        case .cancelled(let time): end("cancelled", after: time)
        case .created, .adapted, .started, .waiting, .redirected, .retriedOnFreshConnection, .serverLost,
            .suspended, .resumed, .certificateNotVerified:
            break
        }
    }

    private func end(_ outcome: String, after time: Duration) {
        let dimensions = [("outcome", outcome)]
        Counter(label: "ferry_requests", dimensions: dimensions, factory: factory).increment()
        Timer(label: "ferry_request_duration", dimensions: dimensions, factory: factory).record(
            duration: time)
    }
}
