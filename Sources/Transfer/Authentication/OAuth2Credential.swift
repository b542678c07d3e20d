/// An access token and its lifetime.
public struct OAuth2Credential: AuthenticationCredential {
    /// The token for `Authorization: Bearer` (RFC 6750 §2.1). Empty if there is none yet.
    public let accessToken: String
    private let age: @Sendable () -> Duration
    private let refreshAge: Duration?

    /// - Parameters:
    ///   - lifetime: The lifetime from now on; nil if the server did not state it.
    ///   - margin: The time before the end of the lifetime, at most a tenth of it, at which the token is refreshed.
    ///     Otherwise a token that lives for a few minutes would be refreshed at once.
    ///   - clock: A monotonic clock, which the user cannot set.
    public init(
        accessToken: String, lifetime: Duration? = nil, margin: Duration = .seconds(300),
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.init(accessToken: accessToken, remaining: lifetime, of: lifetime, margin: margin, clock: clock)
    }

    init(
        accessToken: String, remaining: Duration?, of lifetime: Duration?, margin: Duration,
        clock: some Clock<Duration>
    ) {
        self.accessToken = accessToken
        let start = clock.now
        age = { start.duration(to: clock.now) }
        refreshAge = remaining.map { $0 - min(margin, (lifetime ?? $0) / 10) }
    }

    /// A credential without a token. It is refreshed before the first request.
    public static let missing = OAuth2Credential(accessToken: "")

    /// True if there is no token yet, or if its lifetime is nearly over.
    public var requiresRefresh: Bool {
        accessToken.isEmpty || refreshAge.map { age() >= $0 } ?? false
    }
}
