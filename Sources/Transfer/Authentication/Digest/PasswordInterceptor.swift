import FerryProtocols
import HTTPTypes
import Synchronization

/// Authenticates requests with a user and a password: by Basic (RFC 7617), and by Digest (RFC 7616) once the server has
/// sent a Digest challenge.
///
/// One interceptor serves one destination. After the first Digest challenge to any request, the password is never sent
/// with Basic again.
public final class PasswordInterceptor: RequestInterceptor, ResponseReader {
    private enum Scheme {
        case basic
        case digest(DigestSession)
    }

    /// The maximum number of retries after a 401: for the switch to Digest, an old nonce, and a changed password.
    private static let retryLimit = 3

    private let user: String
    private let password: AuthorizationInterceptor.Value
    private let passwordAfterRefusal: AuthorizationInterceptor.Value
    private let makeNonce: @Sendable () -> String
    private let scheme = Mutex<Scheme>(.basic)

    /// - Parameters:
    ///   - password: Returns the password; called for each attempt.
    ///   - afterRefusal: Returns the current password after a 401, not a cached one.
    public convenience init(
        user: String, password: @escaping AuthorizationInterceptor.Value,
        afterRefusal: AuthorizationInterceptor.Value? = nil
    ) {
        self.init(user: user, password: password, afterRefusal: afterRefusal) {
            let halves = [UInt64.random(in: 0...UInt64.max), UInt64.random(in: 0...UInt64.max)]
            return halves.map { String($0, radix: 16) }.joined()
        }
    }

    init(
        user: String, password: @escaping AuthorizationInterceptor.Value,
        afterRefusal: AuthorizationInterceptor.Value?, makeNonce: @escaping @Sendable () -> String
    ) {
        self.user = user
        self.password = password
        passwordAfterRefusal = afterRefusal ?? password
        self.makeNonce = makeNonce
    }

    /// Sets the header field `Authorization`.
    /// - Throws: The error of the fetch; `UploadFailure` (`authentication`) if Basic or Digest cannot express them.
    public func adapt(
        _ request: TransportRequest, for context: RequestContext
    ) async throws -> TransportRequest {
        let password = try await password()
        let basic = try BasicCredential(user: user, password: password)
        let value = scheme.withLock { scheme in
            guard case .digest(var session) = scheme else { return basic.fieldValue }
            let value = session.authorization(
                user: user, password: password, method: request.method.rawValue,
                target: Self.target(request.url))
            scheme = .digest(session)
            return value
        }
        var request = request
        guard HTTPField.isValidValue(value) else {
            throw UploadFailure(
                .authentication, "the server's sign-in (Digest) cannot be answered: it holds a line break",
                hint: "ask who runs the server")
        }
        request.fields[.authorization] = value
        if value != basic.fieldValue {
            // A request with Basic before this one, or before a restart, may have shown them to the server.
            request.hiddenSecrets = [password, String(basic.fieldValue.dropFirst("Basic ".count))]
        }
        return request
    }

    /// Retries after a 401 if the server sent a Digest challenge that the request did not use, or if the password has
    /// changed.
    public func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) async -> RetryDecision {
        guard let response = failure.response, response.status == 401,
            context.retries.authentication < Self.retryLimit
        else { return .doNotRetry }
        let sent = request.fields[.authorization] ?? ""
        if let challenge = DigestChallenge(AuthenticationChallenge.list(in: response.fields)),
            takes(challenge, after: sent, isFirst: context.retries.authentication == 0)
        {
            return .retry
        }
        do {
            return wasSigned(request, with: try await passwordAfterRefusal()) ? .doNotRetry : .retry
        } catch {
            return .fail(error)
        }
    }

    /// True if the refused request was authenticated with this password.
    private func wasSigned(_ request: TransportRequest, with password: String) -> Bool {
        let sent = request.fields[.authorization] ?? ""
        let parameters = AuthenticationChallenge.list(sent).first?.parameters ?? [:]
        return scheme.withLock { scheme in
            guard case .digest(let session) = scheme else {
                return (try? BasicCredential(user: user, password: password))?.fieldValue == sent
            }
            let response = session.response(
                user: user, password: password, method: request.method.rawValue,
                target: Self.target(request.url), number: parameters["nc"] ?? "")
            return response == parameters["response"]
        }
    }

    /// Stores the challenge from a refusal, unless another request has stored a newer one. Returns true if a retry can
    /// succeed, false if the server refused the user or the password.
    private func takes(_ challenge: DigestChallenge, after sent: String, isFirst: Bool) -> Bool {
        scheme.withLock { scheme in
            if case .digest(let session) = scheme {
                // Another request was refused before, and has stored a newer challenge that this request has not used.
                guard Self.nonce(in: sent) == session.challenge.nonce else { return true }
                // A server that has restarted does not know earlier nonces, and does not always report them as stale.
                let wasTaken = session.count > 1 && isFirst && challenge.nonce != session.challenge.nonce
                guard challenge.isStale || wasTaken else { return false }
            }
            scheme = .digest(DigestSession(challenge, clientNonce: makeNonce()))
            return true
        }
    }

    /// Stores the nonce that a response announces (`nextnonce`), unless the request had an older nonce.
    public func read(_ response: TransportResponse, to request: TransportRequest) {
        guard let info = response.fields[.authenticationInfo],
            let next = AuthenticationChallenge.parameters(info)["nextnonce"]
        else { return }
        scheme.withLock { scheme in
            guard case .digest(var session) = scheme,
                Self.nonce(in: request.fields[.authorization] ?? "") == session.challenge.nonce
            else { return }
            session.renew(nonce: next)
            scheme = .digest(session)
        }
    }

    private static func nonce(in authorization: String) -> String? {
        AuthenticationChallenge.list(authorization).first { $0.isScheme("Digest") }?.parameters["nonce"]
    }

    private static func target(_ address: String) -> String {
        guard let url = URL(string: address) else { return "/" }
        let path = url.path(percentEncoded: true)
        return (path.isEmpty ? "/" : path) + (url.query(percentEncoded: true).map { "?\($0)" } ?? "")
    }
}

extension HTTPField.Name {
    /// The header field `Authentication-Info` (RFC 7615 §3).
    fileprivate static let authenticationInfo = named("Authentication-Info")
}
