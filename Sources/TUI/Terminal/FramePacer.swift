/// Decides when to draw a frame: at once after a key, and at most ten times a second after other changes. Without a
/// change, nothing is drawn.
///
/// If the user has configured a slow connection (`isSlow`), or if drawing takes long, changes without a key are drawn
/// less often.
struct FramePacer {
    enum Urgency {
        /// The user waits for the frame, mostly after a key.
        case now
        /// The frame can wait, so that it shows later changes too.
        case soon
    }

    /// The minimum number of seconds between frames of the urgency `now`.
    private static let shortest = 0.016
    private static let gathering = 0.1
    private static let gatheringWhenSlow = 1.0
    private static let longest = 2.0
    /// The seconds before the next attempt to draw, after the terminal accepted no bytes.
    private static let blocked = 0.05

    /// The number of frames after which `interval` is adapted to the 90th percentile of their drawing times.
    /// `ninetieth` is the index of this percentile in the sorted times.
    private static let sample = 20
    private static let ninetieth = 17
    /// The 90th percentile of the drawing times, in seconds, above which the interval between frames is doubled. Below
    /// `easy`, the interval is halved again.
    private static let laborious = 0.1
    private static let easy = 0.025

    /// The minimum number of seconds between frames of the urgency `soon`.
    private(set) var interval: Double
    /// The time of the next frame; nil if nothing has changed.
    private(set) var due: Double?
    private(set) var lastFrame = -Double.infinity
    private let usual: Double
    /// The drawing times of the frames since `interval` was last adapted, in seconds.
    private var durations: [Double] = []

    /// - Parameter isSlow: True for at most one frame a second while no key is pressed.
    init(isSlow: Bool = false) {
        usual = isSlow ? Self.gatheringWhenSlow : Self.gathering
        interval = usual
    }

    mutating func request(_ urgency: Urgency, now: Double) {
        let moment = max(now, lastFrame + (urgency == .now ? Self.shortest : interval))
        due = min(due ?? .infinity, moment)
    }

    func isDue(_ now: Double) -> Bool { due.map { now >= $0 } ?? false }

    /// - Parameter duration: The seconds that drawing took.
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
