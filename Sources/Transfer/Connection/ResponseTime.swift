/// The time limit for the body of one response, counted from the arrival of the response's head. The values `now`,
/// `begin` and `lastChunk` are durations since one fixed moment.
///
/// Without this limit, a response that arrives byte by byte would block its connection and its upload forever. A body
/// that arrives at 1 KiB a second or faster is allowed to take ten response timeouts.
struct ResponseTime {
    let status: UInt
    private let begin: Duration
    private let response: Duration
    private let longest: Duration
    private let mayTakeLong: Bool
    private var bytes: Int64 = 0
    private var lastChunk: Duration

    /// The longest time between two chunks of a refusal's body (status 400 and above). After this time, the caller
    /// stops waiting for the rest. Only the status of a refusal matters, and some servers keep the connection open
    /// after a refusal (Django 5.2's `runserver`).
    private static let refusalSilence = Duration.seconds(1)

    /// Returns the longest time for a head with interim responses (1xx), and for a body.
    ///
    /// - Parameter response: The response timeout (`Timeouts.response`). It is limited so that the result does not
    ///   overflow.
    static func longest(_ response: Duration) -> Duration { min(response, .seconds(1 << 40)) * 10 }

    /// - Parameters:
    ///   - response: The response timeout (`Timeouts.response`).
    ///   - mayTakeLong: True if the server sends white space until its result is ready (S3's CompleteMultipartUpload,
    ///     for minutes).
    ///   - now: The time at which the head arrived.
    init(status: UInt, response: Duration, mayTakeLong: Bool, now: Duration) {
        self.status = status
        longest = Self.longest(response)
        self.response = min(response, longest)
        self.mayTakeLong = mayTakeLong
        begin = now
        lastChunk = now
    }

    mutating func received(_ count: Int, now: Duration) {
        bytes += Int64(count)
        lastChunk = now
    }

    /// True if the caller must stop waiting for the rest of the body.
    func isOver(_ now: Duration) -> Bool {
        if status >= 400, now - lastChunk >= Self.refusalSilence { return true }
        return now - begin >= limit
    }

    /// The longest time for the body: twice the response timeout plus a second for each received KiB, but at most ten
    /// response timeouts. It is always ten response timeouts if `mayTakeLong` is true.
    private var limit: Duration {
        mayTakeLong ? longest : min(longest, response * 2 + .seconds(bytes >> 10))
    }
}
