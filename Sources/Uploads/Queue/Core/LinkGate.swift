import FerryFiles

/// Decides whether uploads can use the network, from the reports of the link monitor and the commands of users.
enum LinkGate: Equatable {
    case open
    /// The link monitor has not reported anything yet. Uploads over the network wait for its first report.
    case unknown
    case closed(since: Date, reason: String)
    /// The link is reported as down, but uploads can start, because a user's command overrides the report.
    case forced(since: Date, reason: String)

    var isClosed: Bool {
        switch self {
        case .closed, .unknown: true
        case .open, .forced: false
        }
    }

    /// The state of the network for display. Before the link monitor's first report, it is `online`.
    var network: EngineStatus.Network {
        switch self {
        case .open, .unknown: .online
        case .closed(let since, let reason), .forced(let since, let reason):
            .offline(since: since, reason: reason)
        }
    }

    /// Notes that the link is down. If this was already known, changes only the reason, and returns true.
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

    /// Lets uploads start although the link monitor reports that the link is down, until `endForce` is called. If the
    /// monitor has not reported anything yet, the gate opens as if the link were up.
    mutating func force() {
        switch self {
        case .closed(let since, let reason): self = .forced(since: since, reason: reason)
        case .unknown: self = .open
        case .open, .forced: break
        }
    }

    /// Ends the effect of `force`, if there was one: uploads over the network wait again. Called when an attempt has
    /// failed while the link is down.
    mutating func endForce() {
        if case .forced(let since, let reason) = self { self = .closed(since: since, reason: reason) }
    }
}
