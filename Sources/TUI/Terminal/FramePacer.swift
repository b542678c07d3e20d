/// When to draw: at once after a key, ten times a second for what happens by itself, never without a reason.
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
    /// Seconds until a terminal that takes nothing is tried again.
    private static let blocked = 0.05

    /// When the next frame is due; nil if there is nothing new.
    private(set) var due: Double?
    private(set) var lastFrame = -Double.infinity

    mutating func request(_ urgency: Urgency, now: Double) {
        let moment = max(now, lastFrame + (urgency == .now ? Self.shortest : Self.gathering))
        due = min(due ?? .infinity, moment)
    }

    func isDue(_ now: Double) -> Bool { due.map { now >= $0 } ?? false }

    mutating func drew(now: Double) {
        lastFrame = now
        due = nil
    }

    mutating func postpone(now: Double) { due = now + Self.blocked }
}
