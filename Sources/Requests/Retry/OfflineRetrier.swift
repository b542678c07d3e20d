public import FerryConnectivity
import FerryProtocols
public import FerryTransfer

/// Retries a request that failed while this machine had no network, once the network returns.
///
/// With a network, the retriers after this one decide. A request that has possibly reached the server is retried only
/// if `TransportRequest.isRepeatable` is true.
public struct OfflineRetrier: RequestInterceptor {
    private let monitor: ConnectivityMonitor
    private let maximumWait: Duration
    private let limit: Int
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - maximumWait: The longest wait for a network, after which the next retriers decide.
    ///   - limit: The maximum number of retries of a request after network failures, by all retriers.
    public init(
        _ monitor: ConnectivityMonitor = ConnectivityMonitor(), maximumWait: Duration = .seconds(5),
        limit: Int = 10, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.monitor = monitor
        self.maximumWait = maximumWait
        self.limit = limit
        self.clock = clock
    }

    public func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) async -> RetryDecision {
        guard context.retries.network < limit, case .transport(let error) = failure,
            error.failure.category.isOfNetwork, mayRepeat(request, after: error.reason), await isOffline()
        else { return .doNotRetry }
        return await monitor.waitUntilReachable(upTo: maximumWait, clock: clock) ? .retry : .doNotRetry
    }

    /// Waits for the monitor's first report, and returns whether there is no network.
    private func isOffline() async -> Bool {
        for await status in monitor.statuses() {
            switch status {
            case .unknown: continue
            case .notReachable: return true
            case .reachable: return false
            }
        }
        return false
    }

    private func mayRepeat(_ request: TransportRequest, after reason: TransportError.Reason) -> Bool {
        switch reason {
        case .notConnected, .unsent: true
        case .staleConnection, .broken: request.isRepeatable
        case .cancelled, .notTrusted, .source: false
        }
    }
}
