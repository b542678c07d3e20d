import FerryProtocols
import HTTPTypes
import Synchronization

/// An authenticator that gets bearer tokens with a refresh token (RFC 6749 §6, RFC 6750).
///
/// A token server can replace the refresh token at each use, and refuse the old one from then on. So the new one is
/// written to the token file before the access token that came with it is used. Programs that share the file refresh
/// one after the other.
public final class OAuth2Authenticator: Authenticator {
    private struct Memory {
        /// The tokens that are not yet in the file, if one is configured.
        var unsaved: StoredTokens?
        /// The refresh tokens that the server has refused, and the failure to throw instead of sending them again.
        var refused: (tokens: [String], failure: UploadFailure)?
        /// The last refresh tokens and client secrets, which a server of uploads that also hands out tokens can repeat.
        var secrets: [String] = []
    }

    private static let secretLimit = 16

    private let client: OAuth2Client
    private let querySecrets: [String]
    private let file: TokenFile?
    private let transport: any Transport
    private let makeCredential:
        @Sendable (String, _ remaining: Duration?, _ lifetime: Duration?) -> OAuth2Credential
    private let date: @Sendable () -> Date
    private let memory = Mutex(Memory())

    /// - Parameters:
    ///   - file: The file that stores tokens. Without one, a new refresh token is lost when the process ends.
    ///   - transport: The transport to the token server, without interceptors and rate limit.
    ///   - margin: The time before the end of an access token's lifetime, at most a tenth of it, for the refresh.
    public init(
        _ client: OAuth2Client, file: TokenFile?, transport: any Transport, margin: Duration = .seconds(300),
        clock: some Clock<Duration> = ContinuousClock(), date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.client = client
        querySecrets = client.querySecrets
        self.file = file
        self.transport = transport
        self.date = date
        makeCredential = {
            OAuth2Credential(accessToken: $0, remaining: $1, of: $2, margin: margin, clock: clock)
        }
    }

    /// Sets `Authorization: Bearer` (RFC 6750 §2.1).
    public func apply(_ credential: OAuth2Credential, to request: inout TransportRequest) {
        request.fields[.authorization] = "Bearer \(credential.accessToken)"
        request.hiddenSecrets = querySecrets + memory.withLock { $0.secrets }
    }

    private func remember(clientSecret secret: String) {
        remember([secret, client.basicCredentials(secret)])
    }

    private func remember(_ secrets: [String]) {
        memory.withLock { memory in
            let others = memory.secrets.filter { !secrets.contains($0) }
            memory.secrets = (others + secrets).suffix(Self.secretLimit)
        }
    }

    public func isRequest(
        _ request: TransportRequest, authenticatedWith credential: OAuth2Credential
    ) -> Bool {
        request.fields[.authorization] == "Bearer \(credential.accessToken)"
    }

    /// Returns another valid access token from the file, or memory without a file; otherwise requests one from the
    /// token server.
    /// - Throws: `UploadFailure`; `authentication` if the user must sign in or change the configuration.
    public func refresh(_ credential: OAuth2Credential) async throws -> OAuth2Credential {
        let origin = try await client.refreshToken()
        remember([origin])
        guard let file else {
            let known = memory.withLock { $0.unsaved }
            return try await renew(credential, origin: origin, known: known) { _ throws(UploadFailure) in }
        }
        return try await file.locked { locked throws(UploadFailure) in
            var known = try await locked.read().map { data throws(UploadFailure) in
                try StoredTokens.decode(data, file: file.path.text)
            }
            if let unsaved = memory.withLock({ $0.unsaved }), unsaved.follows(known, origin: origin) {
                try await locked.replace(with: unsaved.encoded())
                known = unsaved
            }
            memory.withLock { $0.unsaved = nil }
            return try await renew(credential, origin: origin, known: known) {
                tokens async throws(UploadFailure) in
                try await locked.replace(with: tokens.encoded())
                self.memory.withLock { $0.unsaved = nil }
            }
        }
    }

    private func renew(
        _ credential: OAuth2Credential, origin: String, known: StoredTokens?,
        save: (StoredTokens) async throws(UploadFailure) -> Void
    ) async throws(UploadFailure) -> OAuth2Credential {
        let known = known.flatMap { $0.belongs(to: client, origin: origin) ? $0 : nil }
        remember([known?.refreshToken, known?.previousToken].compactMap { $0 })
        // Another program may have refreshed the token, or an earlier run may have left a valid one.
        if let known, known.accessToken != credential.accessToken, known.scope == client.scope {
            let stored = makeCredential(known.accessToken, known.remaining(at: date()), known.lifetime)
            if !stored.requiresRefresh {
                // It is not needed now, but the server may repeat it.
                if let secret = try? await client.clientSecret?() { remember(clientSecret: secret) }
                return stored
            }
        }
        let candidates = known.map { [$0.refreshToken] + ($0.previousToken.map { [$0] } ?? []) } ?? [origin]
        if let refused = memory.withLock({ $0.refused }), refused.tokens == candidates {
            throw refused.failure
        }
        let (reply, token) = try await ask(with: candidates)
        remember([reply.refreshToken].compactMap { $0 })
        let now = date().timeIntervalSince1970
        let tokens = StoredTokens(
            tokenURL: client.tokenURL, clientID: client.clientID, origin: origin,
            refreshToken: reply.refreshToken ?? token, previousToken: reply.refreshToken == nil ? nil : token,
            scope: client.scope, accessToken: reply.accessToken, received: now,
            expires: reply.lifetime.map { now + $0 / .seconds(1) })
        memory.withLock { $0.unsaved = tokens }
        try await save(tokens)
        return makeCredential(reply.accessToken, reply.lifetime, reply.lifetime)
    }

    /// Requests an access token with each of the refresh tokens in turn, and returns the accepted one too.
    private func ask(with candidates: [String]) async throws(UploadFailure) -> (OAuth2Response, String) {
        var first: UploadFailure?
        for token in candidates {
            let request = try await client.request(refreshToken: token)
            var secrets = Secrets(candidates)
            if let secret = try await client.clientSecret?() {
                secrets.add(Secrets([secret]))
                remember(clientSecret: secret)
            }
            secrets.add(request)
            let response: TransportResponse
            do throws(TransportError) { response = try await transport.perform(request, delegate: nil) } catch
            {
                throw error.failure
            }
            do throws(OAuth2Response.Refusal) {
                return (
                    try OAuth2Response(response, from: client.tokenURL, hiding: secrets, now: date()), token
                )
            } catch {
                guard error.isForToken else { throw error.failure }
                first = first ?? error.failure
            }
        }
        let failure = first ?? UploadFailure(.authentication, "there is no refresh token")
        memory.withLock { $0.refused = (candidates, failure) }
        throw failure
    }
}

extension StoredTokens {
    /// Returns true if these tokens of the current sign-in (`origin`) must replace `other`, the tokens in the file:
    /// those of another sign-in, or with the refresh token that these tokens replaced or still have.
    fileprivate func follows(_ other: StoredTokens?, origin: String) -> Bool {
        guard self.origin == origin else { return false }
        guard let other, other.origin == origin else { return true }
        return other.refreshToken == previousToken || other.refreshToken == refreshToken
    }
}
