import FerryFiles

/// The permission of uploads to use the network, according to the link monitor and the user's commands.
enum LinkGate: Equatable {
    case open
    /// Closed until the link monitor's first report. The network is not known to be down.
    case unknown
    case closed(since: Date, reason: String)
    /// The link is down, but attempts can start because the user asked for an attempt.
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

    /// Notes that the link is down for this reason.
    ///
    /// - Returns: True if the link was known to be down before.
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

    /// Lets attempts start until `endForce`, although the link monitor reports that the link is down. If the monitor
    /// has reported nothing yet, the link counts as up.
    mutating func force() {
        switch self {
        case .closed(let since, let reason): self = .forced(since: since, reason: reason)
        case .unknown: self = .open
        case .open, .forced: break
        }
    }

    /// Closes the gate again after `force`, because an attempt failed while the link is down.
    mutating func endForce() {
        if case .forced(let since, let reason) = self { self = .closed(since: since, reason: reason) }
    }
}
