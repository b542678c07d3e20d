/// The time limit for the body of one response from the arrival of its head. The times are durations since one moment.
///
/// Without it, a response that arrives byte by byte would block its connection and its upload forever.
struct ResponseTime {
    let status: UInt
    private let begin: Duration
    private let response: Duration
    private let longest: Duration
    private let mayTakeLong: Bool
    private var bytes: Int64 = 0
    private var lastChunk: Duration

    /// The longest time between two chunks of a refusal's body (status 400 and above). Only the status matters, and
    /// some servers keep the connection open after a refusal (Django 5.2's `runserver`).
    private static let refusalSilence = Duration.seconds(1)

    /// Returns the longest time for a head with interim responses (1xx), and for a body.
    ///
    /// - Parameter response: The response timeout, limited so that the result does not overflow.
    static func longest(_ response: Duration) -> Duration { min(response, .seconds(1 << 40)) * 10 }

    /// - Parameters:
    ///   - mayTakeLong: True if the server sends white space until its result is ready (S3's CompleteMultipartUpload).
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

    func isOver(_ now: Duration) -> Bool {
        if status >= 400, now - lastChunk >= Self.refusalSilence { return true }
        return now - begin >= limit
    }

    /// The longest time for the body: twice the response timeout plus a second for each received KiB, up to `longest`.
    private var limit: Duration {
        mayTakeLong ? longest : min(longest, response * 2 + .seconds(bytes >> 10))
    }
}
