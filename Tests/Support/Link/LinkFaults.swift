/// The faults of a link. The default is none.
public struct LinkFaults: Hashable, Sendable {
    /// The bandwidth of each direction in bytes per second, shared by all connections; nil for no limit.
    public var bandwidth: Int?
    /// The delay of each byte, in each direction.
    public var latency = Duration.zero
    /// The greatest random delay in addition. The bytes of a connection stay in order.
    public var jitter = Duration.zero
    /// The greatest number of bytes that arrive together. The number is random, from 1 up to this; nil transfers bytes
    /// as they come.
    public var segmentSize: Int?
    /// The time between the acceptance of a connection and the connection to the server.
    public var acceptDelay = Duration.zero
    /// The number of `100 Continue` responses that the link adds before the first response on each connection.
    public var interimAnswers = 0
    /// The numbers of bytes, counted over all clients, after which the connections break.
    public var cutsAfter: [Int] = []
    /// The kind of these breaks; nil alternates between reset and close.
    public var ending: Ending?
    /// The time after such a break in which new connections wait.
    public var downtime = Duration.milliseconds(500)
    /// The outages of the link.
    public var outages = LinkSchedule()
    /// The seed of all random choices.
    public var seed: UInt64 = 1

    /// The way in which a connection breaks.
    public enum Ending: String, Hashable, Sendable, CaseIterable {
        /// A reset (RST).
        case reset
        /// A close (FIN) before all bytes are sent.
        case close
    }

    public init() {}
}

/// The behavior of a link during an outage.
public enum LinkOutage: String, Hashable, Sendable, CaseIterable {
    /// Connections are reset, and new ones are refused.
    case cut
    /// Connections are closed (FIN), and new ones are refused.
    case close
    /// No bytes are transferred. Connections continue afterwards.
    case freeze
    /// Existing connections never transfer bytes again, and no side gets an error.
    case silence
    /// Bytes from the server are lost. The connections break at the end of the outage.
    case mute
    /// Existing connections continue, and new ones are refused.
    case refuse
}

/// The times of a link's outages.
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

    /// Makes a schedule without outages.
    public init() {}

    /// Makes a schedule that alternates: `up` without an outage, then `down` with one.
    public init(up: Duration, down: Duration, _ outage: LinkOutage) {
        form = up + down > .zero ? .regular(up: max(.zero, up), down: max(.zero, down), outage) : .never
    }

    /// Makes a schedule from a list. If outages overlap, the first in the list counts.
    public init(_ outages: [(start: Duration, length: Duration, outage: LinkOutage)]) {
        form = .listed(outages.map { Entry(start: $0.start, length: $0.length, outage: $0.outage) })
    }

    /// Returns the outage at `time` after the start of the link; nil if there is none.
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

    /// Returns the total time without an outage from the start to `time`.
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
