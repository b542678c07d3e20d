import FerryFiles

/// The history of a transfer rate: mean values over equal spans of time.
struct RateHistory: Hashable, Sendable {
    /// The maximum number of values; no graph shows more.
    static let limit = 400

    /// The seconds that each value covers.
    let span: Double
    /// The rates in bytes per second, the newest last.
    private(set) var values: [Double] = []
    private var bytes = 0.0
    private var seconds = 0.0

    init(span: Double) { self.span = span }

    mutating func add(bytes: Double, over seconds: Double) {
        guard seconds > 0, bytes.isFinite, bytes >= 0, seconds.isFinite else { return }
        // If `seconds` is longer than the whole history, one rate fills all values of the history.
        var left = min(seconds, span * Double(Self.limit))
        let rate = bytes / seconds
        while left > 0 {
            let part = min(left, span - self.seconds)
            self.bytes += rate * part
            self.seconds += part
            left -= part
            guard self.seconds >= span - 1e-9 else { continue }
            values.append(self.bytes / self.seconds)
            (self.bytes, self.seconds) = (0, 0)
        }
        if values.count > Self.limit { values.removeFirst(values.count - Self.limit) }
    }
}

/// The time span of the graph of all uploads.
enum GraphSpan: Hashable, Sendable, CaseIterable {
    /// Two values per second: about one minute in 80 columns with braille dots.
    case seconds
    /// One value per five seconds: about ten minutes in 80 columns with braille dots.
    case minutes
    case off

    var next: GraphSpan { self == .seconds ? .minutes : self == .minutes ? .off : .seconds }
}

/// The throughput of one upload or of all together, over a short and a long time.
struct ThroughputHistory: Hashable, Sendable {
    private(set) var seconds = RateHistory(span: 0.5)
    private(set) var minutes = RateHistory(span: 5)
    /// The time on the clock up to which bytes were added.
    private var end: Double?
    private var smoothed = 0.0

    /// The time constant of the smoothing in seconds.
    private static let memory = 2.0

    /// Adds `bytes` sent within the `seconds` before `now`, smoothed: an upload first fills the socket's buffer faster
    /// than the link sends. A gap since the previous call counts as time without uploads.
    mutating func add(bytes: Double, over seconds: Double, now: Double) {
        guard seconds > 0, bytes.isFinite else { return }
        if let end, now - seconds > end {
            smoothed = 0
            add(0, over: now - seconds - end)
        }
        smoothed += (bytes / seconds - smoothed) * (1 - (-seconds / Self.memory).exponential)
        add(smoothed * seconds, over: seconds)
        end = now
    }

    private mutating func add(_ bytes: Double, over span: Double) {
        seconds.add(bytes: bytes, over: span)
        minutes.add(bytes: bytes, over: span)
    }

    subscript(_ span: GraphSpan) -> RateHistory? {
        switch span {
        case .seconds: seconds
        case .minutes: minutes
        case .off: nil
        }
    }
}
