public import FerryConnectivity
import FerryProtocols
public import FerryTransfer

/// Waits for the network when a request fails because there is none, and makes it again when it is back.
///
/// Whether there is a network says the connectivity monitor. A failure while there is one is left to the next retrier.
/// A request that may have reached the server is made again only if the server may see it twice.
public struct OfflineRetrier: RequestInterceptor {
    private let monitor: ConnectivityMonitor
    private let maximumWait: Duration
    private let limit: Int
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - maximumWait: After so long without a network the request ends with the failure it had.
    ///   - limit: Retries after network failures, of whatever retrier.
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
            error.failure.category.isOfNetwork, mayRepeat(request, after: error.reason),
            await isOffline()
        else { return .doNotRetry }
        return await monitor.waitUntilReachable(upTo: maximumWait, clock: clock) ? .retry : .doNotRetry
    }

    /// Returns the first status of the monitor, which knows none before it is asked.
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
