import FerryFiles

/// Whether the network may be used, by the reports of the link monitor and the commands of the user.
enum LinkGate: Equatable {
    case open
    /// Closed until the monitor's first report; the network is not known to be away.
    case unknown
    case closed(since: Date, reason: String)
    /// Closed, but the user asked for a try.
    case forced(since: Date, reason: String)

    var isClosed: Bool {
        switch self {
        case .closed, .unknown: true
        case .open, .forced: false
        }
    }

    /// The network as users see it.
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

    /// Lets the next attempts through, whatever the monitor reports.
    mutating func force() {
        switch self {
        case .closed(let since, let reason): self = .forced(since: since, reason: reason)
        case .unknown: self = .open
        case .open, .forced: break
        }
    }

    /// Closes a forced gate again: an attempt failed while the link is away.
    mutating func endForce() {
        if case .forced(let since, let reason) = self { self = .closed(since: since, reason: reason) }
    }
}
