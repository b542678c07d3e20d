/// The limit on the time of one answer's body, counted from its head. Moments are durations since any fixed one. Pure.
///
/// An answer that drips would hold its connection, and a slot of the queue, without end. A slow link that brings at least
/// 1 KiB a second is not cut before ten times the response timeout.
struct ResponseTime {
    let status: UInt
    private let begin: Duration
    /// `Timeouts.response`.
    private let response: Duration
    private let mayTakeLong: Bool
    private var bytes: Int64 = 0
    private var lastPiece: Duration

    /// The silence after which a refusal (status 400 and above) is taken as it is: its status says what matters, and some
    /// servers keep the connection open behind it (Django 5.2's `runserver`).
    private static let refusalSilence = Duration.seconds(1)

    /// - Parameters:
    ///   - response: The time for an answer's head.
    ///   - mayTakeLong: The server sends white space while it works (S3's CompleteMultipartUpload, for minutes).
    ///   - now: When the head came.
    init(status: UInt, response: Duration, mayTakeLong: Bool, now: Duration) {
        self.status = status
        // So that ten times as much is a number.
        self.response = min(response, .seconds(1 << 40))
        self.mayTakeLong = mayTakeLong
        begin = now
        lastPiece = now
    }

    mutating func received(_ count: Int, now: Duration) {
        bytes += Int64(count)
        lastPiece = now
    }

    /// True if the rest is not waited for any more.
    func isOver(_ now: Duration) -> Bool {
        if status >= 400, now - lastPiece >= Self.refusalSilence { return true }
        return now - begin >= limit
    }

    /// Twice the response timeout and a second for each KiB, ten times the response timeout at most.
    private var limit: Duration {
        let longest = response * 10
        return mayTakeLong ? longest : min(longest, response * 2 + .seconds(bytes >> 10))
    }
}
