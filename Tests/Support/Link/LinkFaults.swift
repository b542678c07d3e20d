/// What a link does to the bytes that go over it. Nothing, unless it is told to.
public struct LinkFaults: Hashable, Sendable {
    /// Bytes a second each way, over all connections together; nil for no limit.
    public var bandwidth: Int?
    /// How long a byte is on its way, in each direction.
    public var latency = Duration.zero
    /// How much longer it may take, by chance; bytes of one connection do not overtake each other.
    public var jitter = Duration.zero
    /// The most bytes that arrive together, a number from 1 to this by chance; nil as they come.
    public var pieces: Int?
    /// How long a new connection waits before the server hears of it.
    public var acceptDelay = Duration.zero
    /// So many `100 Continue` that nobody asked for come before the first answer of a connection.
    public var interimAnswers = 0
    /// Connections break when so many bytes of all clients together have passed, each time once.
    public var cutsAfter: [Int] = []
    /// How they break; nil resets and closes in turn.
    public var ending: Ending?
    /// For how long new connections get nowhere after such a break.
    public var downtime = Duration.milliseconds(500)
    /// When the link is away.
    public var outages = LinkSchedule()
    /// What chance begins with.
    public var seed: UInt64 = 1

    /// How a connection is broken.
    public enum Ending: String, Hashable, Sendable, CaseIterable {
        /// In the middle of whatever there is: RST.
        case reset
        /// In good order, though not all has been said: FIN.
        case close
    }

    public init() {}
}

/// What a link is like when it is away.
public enum LinkOutage: String, Hashable, Sendable, CaseIterable {
    /// Connections are reset and new ones refused.
    case cut
    /// Connections are closed in good order and new ones refused.
    case close
    /// Nothing moves; afterwards everything goes on.
    case freeze
    /// Nothing moves, and nothing ever will on the connections there are: nobody is told that they are dead.
    case silence
    /// What the server says gets lost, and so do the connections afterwards.
    case mute
    /// Connections go on and new ones are refused.
    case refuse
}

/// When a link is away, and how. Pure.
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

    /// For how much of the time from the start to `time` the link is there.
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
