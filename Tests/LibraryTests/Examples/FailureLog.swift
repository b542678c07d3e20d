// Example: monitor
import Ferry

/// Logs why requests are retried, and why they fail.
struct FailureLog: EventMonitor {
    let write: @Sendable (String) -> Void

    func receive(_ event: TransferEvent, of request: RequestContext) {
        switch event {
        case .retrying(let delay, let reason): write("\(request.label): again after \(delay), \(reason)")
        case .failed(let reason, _): write("\(request.label): \(reason), attempt \(request.attempt)")
        default: break
        }
    }
}
// end
