/// Estimates the rate at which bytes are sent, at times in seconds. The rate is the mean over the last `recent`
/// seconds.
///
/// The steady rate, for remaining times, changes less often. It is the mean over 6, 12 or 24 seconds if this and all
/// shorter means differ from the rate by at most 10 %.
package struct RateEstimator: Hashable, Sendable {
    package static let recent = 3.0
    /// The number of seconds of measurement before a remaining time is shown.
    package static let settling = 2.0

    private static let longer = [6.0, 12, 24]
    private static let agreement = 0.1
    private static let shortest = 0.2
    /// The minimum seconds between points. Until then, bytes change the last one, as thousands of writes follow.
    private static let resolution = 0.1
    private static let capacity = 512

    private struct Point: Hashable {
        var time: Double
        var bytes: Double
    }

    /// The bytes sent up to different times. Above `capacity`, the points that no mean needs are dropped.
    private var points: [Point]

    package init(at start: Double) { points = [Point(time: start, bytes: 0)] }

    /// Adds bytes that were sent since the last call. Invalid numbers and earlier times are ignored.
    package mutating func add(_ bytes: Double, at now: Double) {
        guard bytes > 0, bytes.isFinite, now.isFinite, now >= last.time else { return }
        let point = Point(time: now, bytes: last.bytes + bytes)
        if points.count > 2, now - points[points.count - 2].time < Self.resolution {
            points[points.count - 1] = point
        } else {
            points.append(point)
        }
        guard points.count > Self.capacity, let longest = Self.longer.last else { return }
        let first = points.firstIndex { $0.time > now - longest } ?? points.count
        points.removeFirst(max(0, first - 1))
    }

    /// The rate in bytes per second. Nil in the first 0.2 seconds of the measurement.
    package func rate(at now: Double) -> Double? { mean(over: Self.recent, until: end(at: now)) }

    /// The steady rate in bytes per second. Nil in the first 2 seconds of the measurement.
    package func steadyRate(at now: Double) -> Double? {
        let end = end(at: now)
        guard now - points[0].time >= Self.settling, let recent = mean(over: Self.recent, until: end) else {
            return nil
        }
        var steady = recent
        for span in Self.longer {
            guard let mean = mean(over: span, until: end), abs(mean - recent) <= Self.agreement * recent
            else { break }
            steady = mean
        }
        return steady
    }

    private var last: Point { points[points.count - 1] }

    /// Returns the end of the time over which a rate is averaged: `now`, or the last point after a short pause, which
    /// must not lower the rate of bursts. A pause is short if it is at most half of `recent` and at most the longest
    /// recent one.
    private func end(at now: Double) -> Double {
        guard points.count > 2 else { return max(now, last.time) }
        var longest = 0.0
        for index in points.indices.reversed() where index > 0 {
            guard points[index].time > last.time - Self.recent else { break }
            longest = max(longest, points[index].time - points[index - 1].time)
        }
        return now - last.time <= min(longest, Self.recent / 2) ? last.time : now
    }

    private func mean(over span: Double, until end: Double) -> Double? {
        let start = max(points[0].time, end - span)
        guard end - start >= Self.shortest else { return nil }
        return max(0, bytes(at: end) - bytes(at: start)) / (end - start)
    }

    /// Returns the number of bytes sent until `time`, interpolated between points.
    private func bytes(at time: Double) -> Double {
        guard let index = points.lastIndex(where: { $0.time <= time }) else { return points[0].bytes }
        let point = points[index]
        guard index + 1 < points.count else { return point.bytes }
        let next = points[index + 1]
        guard next.time > point.time else { return next.bytes }
        return point.bytes + (next.bytes - point.bytes) * (time - point.time) / (next.time - point.time)
    }
}
