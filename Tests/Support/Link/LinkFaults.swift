/// The faults of a link. By default there are none.
public struct LinkFaults: Hashable, Sendable {
    /// Bytes a second each way, over all connections together; nil for no limit.
    public var bandwidth: Int?
    /// The time that a byte takes, in each direction.
    public var latency = Duration.zero
    /// The most that a byte is delayed at random. Bytes of one connection do not overtake each other.
    public var jitter = Duration.zero
    /// The most bytes that arrive together, a number from 1 to this by chance; nil as they come.
    public var segmentSize: Int?
    /// The delay of a new connection before the server sees it.
    public var acceptDelay = Duration.zero
    /// The number of unrequested `100 Continue` before the first response of a connection.
    public var interimAnswers = 0
    /// Connections break when so many bytes of all clients together have passed, each time once.
    public var cutsAfter: [Int] = []
    /// The way in which connections break; nil alternates between reset and close.
    public var ending: Ending?
    /// The time after such a break in which new connections fail.
    public var downtime = Duration.milliseconds(500)
    /// The outages of the link.
    public var outages = LinkSchedule()
    /// The seed of all random choices.
    public var seed: UInt64 = 1

    /// The way in which a connection breaks.
    public enum Ending: String, Hashable, Sendable, CaseIterable {
        /// A reset (RST), in the middle of anything.
        case reset
        /// A close (FIN) before all bytes are sent.
        case close
    }

    public init() {}
}

/// The behavior of a link during an outage.
public enum LinkOutage: String, Hashable, Sendable, CaseIterable {
    /// Connections are reset and new ones refused.
    case cut
    /// Connections are closed in good order and new ones refused.
    case close
    /// A pause: no byte moves, and connections continue afterwards.
    case freeze
    /// A silent death: no byte moves on existing connections ever again, and no side gets an error.
    case silence
    /// The server's bytes are lost, and the connections break afterwards.
    case mute
    /// Connections continue and new ones are refused.
    case refuse
}

/// The outages of a link over time. Pure.
public struct LinkSchedule: Hashable, Sendable {
    private enum Form: Hashable, Sendable {
        case never
        case regular(up: Duration, down: Duration, LinkOutage)
        case listed([Entry])
    }

    private struct Entry: Hashable, Sendable {
        var start: Duration
        var length: Duration
        var outage: LinkOutage
    }

    private var form = Form.never

    /// Never away.
    public init() {}

    /// There for `up`, away for `down`, and so on. It is there first.
    public init(up: Duration, down: Duration, _ outage: LinkOutage) {
        form = up + down > .zero ? .regular(up: max(.zero, up), down: max(.zero, down), outage) : .never
    }

    /// Away so often; the first that fits counts.
    public init(_ outages: [(start: Duration, length: Duration, outage: LinkOutage)]) {
        form = .listed(outages.map { Entry(start: $0.start, length: $0.length, outage: $0.outage) })
    }

    /// The outage at a time after the link was made; nil if it is there.
    public func outage(at time: Duration) -> LinkOutage? {
        switch form {
        case .never: return nil
        case .regular(let up, let down, let outage):
            let cycle = Int(time / (up + down))
            guard time - (up + down) * cycle >= up else { return nil }
            return outage
        case .listed(let entries):
            return entries.first { $0.start <= time && time < $0.start + $0.length }?.outage
        }
    }

    /// Returns the time between the start and `time` in which the link is there.
    public func uptime(until time: Duration) -> Duration {
        switch form {
        case .never: return time
        case .regular(let up, let down, _):
            let cycle = Int(time / (up + down))
            return up * cycle + min(up, time - (up + down) * cycle)
        case .listed(let entries):
            var (there, end) = (Duration.zero, Duration.zero)
            for entry in entries.sorted(by: { $0.start < $1.start }) where entry.start < time {
                there += max(.zero, entry.start - end)
                end = max(end, entry.start + entry.length)
            }
            return there + max(.zero, time - end)
        }
    }
}
