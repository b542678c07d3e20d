/// An access token and how long it may be used.
public struct OAuth2Credential: AuthenticationCredential {
    /// Sent as `Authorization: Bearer` (RFC 6750 §2.1). Empty if there is none yet.
    public let accessToken: String
    private let age: @Sendable () -> Duration
    /// The age at which another one is fetched; nil if the server did not say how long it lives.
    private let refreshAge: Duration?

    /// - Parameters:
    ///   - lifetime: From now on. Counted on `clock`, which nobody can set.
    ///   - margin: So long before its end it is renewed; at most a tenth of its life, so that a token of a few minutes
    ///     is used at all.
    public init(
        accessToken: String, lifetime: Duration? = nil, margin: Duration = .seconds(300),
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.init(accessToken: accessToken, remaining: lifetime, of: lifetime, margin: margin, clock: clock)
    }

    /// - Parameters:
    ///   - remaining: What is left of `lifetime` now.
    init(
        accessToken: String, remaining: Duration?, of lifetime: Duration?, margin: Duration,
        clock: some Clock<Duration>
    ) {
        self.accessToken = accessToken
        let start = clock.now
        age = { start.duration(to: clock.now) }
        refreshAge = remaining.map { $0 - min(margin, (lifetime ?? $0) / 10) }
    }

    /// The credential before the first token is there.
    public static let missing = OAuth2Credential(accessToken: "")

    /// True if there is no token yet, or if its time is nearly over.
    public var requiresRefresh: Bool {
        accessToken.isEmpty || refreshAge.map { age() >= $0 } ?? false
    }
}
