// Example: session
import Ferry

func makeSession(tokenURL: String, refreshToken: String, tokens: LocalPath) throws -> Session {
    let authenticator = OAuth2Authenticator(
        OAuth2Client(tokenURL: tokenURL, clientID: "films", refreshToken: { refreshToken }),
        file: TokenFile(tokens), transport: OneShotTransport())
    var policy = RetryPolicy()  // 408, 429, 5xx and broken connections, with jitter and Retry-After
    policy.limit = 5

    var configuration = Session.Configuration()
    configuration.interceptor = Interceptor(
        retriers: [OfflineRetrier(maximumWait: .seconds(60)), policy],
        interceptors: [AuthenticationInterceptor(authenticator, credential: .missing)])
    return try Session(configuration)
}
// end
