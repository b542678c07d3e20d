// Example: connectivity
import Ferry

func watch(_ monitor: ConnectivityMonitor, tell: @Sendable (String) -> Void) async {
    for await status in monitor.statuses() {
        switch status {
        case .unknown: continue
        case .notReachable(let reason): tell("offline: \(reason)")
        case .reachable(let interface): tell("online by \(interface)")
        }
    }
}
// end
