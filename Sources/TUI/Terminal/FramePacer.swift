/// When to draw: at once after a key, ten times a second for what happens by itself, never without a reason.
///
/// A line that is asked to be slow, or on which painting takes long, gets fewer frames of what happens by itself.
struct FramePacer {
    enum Urgency {
        /// Somebody waits for it.
        case now
        /// May be gathered with what follows.
        case soon
    }

    /// Seconds between frames that follow keys; a resize storm makes no more than these.
    private static let shortest = 0.016
    private static let gathering = 0.1
    private static let gatheringWhenSlow = 1.0
    private static let longest = 2.0
    /// Seconds until a terminal that takes nothing is tried again.
    private static let blocked = 0.05

    /// Frames after which it is looked how long they took to paint, and the one of them that counts, in order of
    /// duration: nine of ten took no longer.
    private static let sample = 20
    private static let ninetieth = 17
    /// Seconds of painting from which on the rate is halved, and below which it is doubled again.
    private static let laborious = 0.1
    private static let easy = 0.025

    /// Seconds between frames of what happens by itself.
    private(set) var interval: Double
    /// When the next frame is due; nil if there is nothing new.
    private(set) var due: Double?
    private(set) var lastFrame = -Double.infinity
    private let usual: Double
    /// Seconds that the last frames took to paint.
    private var durations: [Double] = []

    /// - Parameter isSlow: At most one frame a second of what happens by itself.
    init(isSlow: Bool = false) {
        usual = isSlow ? Self.gatheringWhenSlow : Self.gathering
        interval = usual
    }

    mutating func request(_ urgency: Urgency, now: Double) {
        let moment = max(now, lastFrame + (urgency == .now ? Self.shortest : interval))
        due = min(due ?? .infinity, moment)
    }

    func isDue(_ now: Double) -> Bool { due.map { now >= $0 } ?? false }

    /// - Parameter duration: Seconds that it took to paint.
    mutating func drew(now: Double, duration: Double) {
        lastFrame = now
        due = nil
        durations.append(duration)
        if durations.count == Self.sample { adapt() }
    }

    mutating func postpone(now: Double) { due = now + Self.blocked }

    private mutating func adapt() {
        let duration = durations.sorted()[Self.ninetieth]
        durations.removeAll(keepingCapacity: true)
        if duration > Self.laborious {
            interval = min(Self.longest, interval * 2)
        } else if duration < Self.easy {
            interval = max(usual, interval / 2)
        }
    }
}
