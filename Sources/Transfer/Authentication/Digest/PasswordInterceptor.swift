import FerryFiles
import FerryProtocols
import HTTPTypes
import Synchronization

/// Signs requests with a user and a password: by Basic (RFC 7617), or by Digest (RFC 7616) once the server asks for it.
///
/// One interceptor serves one destination. The first refusal of any request determines the scheme; from then on all
/// requests use that challenge, each with the next number. After a Digest challenge the password is never sent by Basic
/// again.
public final class PasswordInterceptor: RequestInterceptor, ResponseReader {
    private enum Scheme {
        case basic
        case digest(DigestSession)
    }

    /// The maximum number of retries: for a challenge, and for a newer challenge, since nonces may be valid for one
    /// request only.
    private static let retryLimit = 3

    private let user: String
    private let password: AuthorizationInterceptor.Value
    private let passwordAfterRefusal: AuthorizationInterceptor.Value
    private let makeNonce: @Sendable () -> String
    private let scheme = Mutex<Scheme>(.basic)

    /// - Parameters:
    ///   - password: Returns the password; called for each attempt.
    ///   - afterRefusal: Returns the password after a 401, without a cache.
    public convenience init(
        user: String, password: @escaping AuthorizationInterceptor.Value,
        afterRefusal: AuthorizationInterceptor.Value? = nil
    ) {
        self.init(user: user, password: password, afterRefusal: afterRefusal) {
            let halves = [UInt64.random(in: 0...UInt64.max), UInt64.random(in: 0...UInt64.max)]
            return halves.map { String($0, radix: 16) }.joined()
        }
    }

    /// - Parameter makeNonce: Makes the client's nonce for a challenge.
    init(
        user: String, password: @escaping AuthorizationInterceptor.Value,
        afterRefusal: AuthorizationInterceptor.Value?, makeNonce: @escaping @Sendable () -> String
    ) {
        self.user = user
        self.password = password
        passwordAfterRefusal = afterRefusal ?? password
        self.makeNonce = makeNonce
    }

    /// Sets `Authorization`, and replaces an existing one.
    /// - Throws: The error of the password's source; `UploadFailure` (`authentication`) for what the scheme cannot
    ///   express.
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
        return request
    }

    /// Retries after a 401 with a challenge that was not used yet, or with a newer password.
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

    /// True if another signature with this password would be refused again.
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

    /// True if another signature than `sent` may be accepted.
    private func takes(_ challenge: DigestChallenge, after sent: String, isFirst: Bool) -> Bool {
        scheme.withLock { scheme in
            if case .digest(let session) = scheme {
                // Another request was refused first, and its new challenge was not tried yet.
                guard Self.nonce(in: sent) == session.challenge.nonce else { return true }
                // After a restart a server may not know earlier nonces, and may not report them as stale.
                let wasTaken = session.count > 1 && isFirst && challenge.nonce != session.challenge.nonce
                guard challenge.isStale || wasTaken else { return false }
            }
            scheme = .digest(DigestSession(challenge, clientNonce: makeNonce()))
            return true
        }
    }

    /// Reads the nonce for the next requests from a response.
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

    /// The path and query as sent.
    private static func target(_ address: String) -> String {
        guard let url = URL(string: address) else { return "/" }
        let path = url.path(percentEncoded: true)
        return (path.isEmpty ? "/" : path) + (url.query(percentEncoded: true).map { "?\($0)" } ?? "")
    }
}

extension HTTPField.Name {
    /// The field of RFC 7615 §3.
    fileprivate static let authenticationInfo = named("Authentication-Info")
}
