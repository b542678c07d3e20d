/// Decides whether uploads can use the network, from the reports of the link monitor and the commands of users.
enum LinkGate: Equatable {
    case open
    /// The link monitor has not reported anything yet. Uploads over the network wait for its first report.
    case unknown
    case closed(since: Date, reason: String)
    /// The link is reported as down, but a user's command overrides the report.
    case forced(since: Date, reason: String)

    var isClosed: Bool {
        switch self {
        case .closed, .unknown: true
        case .open, .forced: false
        }
    }

    var network: EngineStatus.Network {
        switch self {
        case .open, .unknown: .online
        case .closed(let since, let reason), .forced(let since, let reason):
            .offline(since: since, reason: reason)
        }
    }

    /// Notes that the link is down, and returns whether this was known already.
    mutating func close(because reason: String, at date: Date) -> Bool {
        switch self {
        case .closed(let since, reason: _): self = .closed(since: since, reason: reason)
        case .forced(let since, reason: _): self = .forced(since: since, reason: reason)
        case .open, .unknown:
            self = .closed(since: date, reason: reason)
            return false
        }
        return true
    }

    /// Lets uploads start although the link is reported as down or unknown, until `endForce` is called.
    mutating func force() {
        switch self {
        case .closed(let since, let reason): self = .forced(since: since, reason: reason)
        case .unknown: self = .open
        case .open, .forced: break
        }
    }

    /// Ends the effect of `force`, because an attempt has failed while the link is down.
    mutating func endForce() {
        if case .forced(let since, let reason) = self { self = .closed(since: since, reason: reason) }
    }
}
