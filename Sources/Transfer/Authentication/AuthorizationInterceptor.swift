public import FerryProtocols
import HTTPTypes

/// Adds `Authorization` with a secret that others renew, asking for it on each attempt.
///
/// After a 401 it is asked for once more, and if it is another one by now the request is made again.
public struct AuthorizationInterceptor: RequestInterceptor {
    /// Fetches a secret or a field's value; what it throws ends the attempt before anything is sent.
    public typealias Value = @Sendable () async throws(UploadFailure) -> String

    private let value: Value
    private let valueAfterRefusal: Value

    /// - Parameters:
    ///   - value: Makes the field's value, scheme and all.
    ///   - afterRefusal: The same where a secret is remembered for a while: asked after a 401, it looks anew, and `value`
    ///     goes on from there.
    public init(_ value: @escaping Value, afterRefusal: Value? = nil) {
        self.value = value
        self.valueAfterRefusal = afterRefusal ?? value
    }

    /// A bearer token (RFC 6750 §2.1).
    public static func bearer(_ token: @escaping Value, afterRefusal: Value? = nil)
        -> AuthorizationInterceptor
    {
        func value(of token: @escaping Value) -> Value {
            { () async throws(UploadFailure) in try fieldValue(ofToken: try await token()) }
        }
        return AuthorizationInterceptor(value(of: token), afterRefusal: afterRefusal.map(value))
    }

    /// User and password (RFC 7617).
    public static func basic(
        user: String, password: @escaping Value, afterRefusal: Value? = nil
    ) -> AuthorizationInterceptor {
        func value(of password: @escaping Value) -> Value {
            { () async throws(UploadFailure) in
                try BasicCredential(user: user, password: try await password()).fieldValue
            }
        }
        return AuthorizationInterceptor(value(of: password), afterRefusal: afterRefusal.map(value))
    }

    /// Sets `Authorization`, in place of one that is there.
    /// - Throws: What the secret's source throws; `UploadFailure` (`authentication`) for a value no field can have.
    public func adapt(
        _ request: TransportRequest, for context: RequestContext
    ) async throws -> TransportRequest {
        var request = request
        let value = try await value()
        guard HTTPField.isValidValue(value) else { throw Self.unusable("the credentials hold a line break") }
        request.fields[.authorization] = value
        return request
    }

    /// Retries after a first 401 if the secret is another one by now.
    public func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) async -> RetryDecision {
        guard failure.response?.status == 401, context.retries.authentication == 0 else { return .doNotRetry }
        do {
            return try await valueAfterRefusal() == request.fields[.authorization] ? .doNotRetry : .retry
        } catch {
            return .fail(error)
        }
    }

    private static func fieldValue(ofToken token: String) throws(UploadFailure) -> String {
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw unusable("the token is empty, or holds spaces or other characters that no token has")
        }
        return "Bearer \(token)"
    }

    private static func unusable(_ summary: String) -> UploadFailure {
        UploadFailure(.authentication, summary, hint: "check the destination's auth, then retry")
    }
}
