import Foundation

/// An average that forgets: recent seconds weigh more, and its first values are as honest as later ones.
struct MovingAverage: Hashable, Sendable {
    /// Seconds after which a value weighs a third.
    let memory: Double
    private var sum = 0.0
    private var weight = 0.0

    init(memory: Double) { self.memory = memory }

    /// Nil before the first sample.
    var value: Double? { weight > 0 ? sum / weight : nil }

    mutating func add(_ value: Double, over seconds: Double) {
        guard seconds > 0, value.isFinite else { return }
        let kept = exp(-seconds / memory)
        sum = sum * kept + value * (1 - kept)
        weight = weight * kept + (1 - kept)
    }
}

/// How fast something goes and how long it will take, as shown: numbers that people read must not flicker.
struct Throughput: Hashable, Sendable {
    /// Seconds between changes of the rate and of the remaining time on the screen.
    static let rateInterval = 0.5
    static let remainingInterval = 1.0
    /// Seconds of movement before a remaining time is worth showing.
    static let settling = 5.0

    private var recent = MovingAverage(memory: 3)
    private var steady = MovingAverage(memory: 30)
    private var observed = 0.0
    private var rateShownAt = -Double.infinity
    private var remainingShownAt = -Double.infinity
    /// Bytes per second.
    private(set) var rate: Double?
    /// Seconds.
    private(set) var remaining: Double?

    /// Takes in that `bytes` went out within `seconds`, and that `left` more are to go.
    mutating func add(bytes: Double, over seconds: Double, left: Double, now: Double) {
        recent.add(bytes / seconds, over: seconds)
        steady.add(bytes / seconds, over: seconds)
        if seconds > 0 { observed += seconds }
        if now - rateShownAt >= Self.rateInterval - 0.01 {
            rate = recent.value
            rateShownAt = now
        }
        guard observed >= Self.settling else { return }
        if now - remainingShownAt >= Self.remainingInterval - 0.01 {
            remaining = steady.value.flatMap { $0 >= 1 ? left / $0 : nil }
            remainingShownAt = now
        }
    }
}
