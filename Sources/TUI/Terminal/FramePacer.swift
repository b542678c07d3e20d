/// Decides when to draw a frame: at once after a key, and at most ten times a second after other changes, or less often
/// on a slow connection (`isSlow`) or if drawing takes long. Without a change, nothing is drawn.
struct FramePacer {
    enum Urgency {
        /// The user waits for the frame.
        case now
        /// The frame can wait, so that it shows later changes too.
        case soon
    }

    private static let shortest = 0.016
    private static let gathering = 0.1
    private static let gatheringWhenSlow = 1.0
    private static let longest = 2.0
    /// The seconds until the next try, after the terminal accepted no bytes.
    private static let blocked = 0.05

    /// The frames after which `interval` is adapted to the 90th percentile of their drawing times.
    private static let sample = 20
    private static let ninetieth = 17
    /// The percentiles in seconds above which the interval is doubled, and below which it is halved.
    private static let laborious = 0.1
    private static let easy = 0.025

    /// The seconds between frames of the urgency `soon`.
    private(set) var interval: Double
    private(set) var due: Double?
    private(set) var lastFrame = -Double.infinity
    private let usual: Double
    /// The seconds of drawing each frame since `interval` was adapted.
    private var durations: [Double] = []

    init(isSlow: Bool = false) {
        usual = isSlow ? Self.gatheringWhenSlow : Self.gathering
        interval = usual
    }

    mutating func request(_ urgency: Urgency, now: Double) {
        let moment = max(now, lastFrame + (urgency == .now ? Self.shortest : interval))
        due = min(due ?? .infinity, moment)
    }

    func isDue(_ now: Double) -> Bool { due.map { now >= $0 } ?? false }

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
