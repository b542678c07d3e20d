public import FerryProtocols
import HTTPTypes

/// Adds the header field `Authorization`. The secret is fetched for each attempt, because another program can renew it.
/// After the first 401 to a request, it is fetched once more, and if it has changed, the request is sent again.
public struct AuthorizationInterceptor: RequestInterceptor {
    /// A function that fetches a secret or a header field's value. An error ends the attempt; after a 401, the request.
    public typealias Value = @Sendable () async throws(UploadFailure) -> String

    private let value: Value
    private let valueAfterRefusal: Value

    /// - Parameters:
    ///   - value: Returns the value of `Authorization`, including the scheme.
    ///   - afterRefusal: Returns the current value after a 401, not a cached one, as must later calls of `value`. By
    ///     default `value` is called.
    public init(_ value: @escaping Value, afterRefusal: Value? = nil) {
        self.value = value
        self.valueAfterRefusal = afterRefusal ?? value
    }

    /// Returns an interceptor that adds a bearer token (RFC 6750 §2.1).
    /// - Parameter afterRefusal: Returns the current token after a 401, not a cached one.
    public static func bearer(_ token: @escaping Value, afterRefusal: Value? = nil)
        -> AuthorizationInterceptor
    {
        func value(of token: @escaping Value) -> Value {
            { () async throws(UploadFailure) in try fieldValue(ofToken: try await token()) }
        }
        return AuthorizationInterceptor(value(of: token), afterRefusal: afterRefusal.map(value))
    }

    /// Returns an interceptor that adds a user and a password (RFC 7617).
    /// - Parameter afterRefusal: Returns the current password after a 401, not a cached one.
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

    /// Sets the header field `Authorization`.
    /// - Throws: The error of the fetch; `UploadFailure` (`authentication`) if a header field cannot have the value.
    public func adapt(
        _ request: TransportRequest, for context: RequestContext
    ) async throws -> TransportRequest {
        var request = request
        let value = try await value()
        guard HTTPField.isValidValue(value) else { throw Self.unusable("the credentials hold a line break") }
        request.fields[.authorization] = value
        return request
    }

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
