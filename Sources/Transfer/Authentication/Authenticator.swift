/// The proof of a sender's identity, such as a token or a pair of keys.
public protocol AuthenticationCredential: Sendable {
    /// True if the credential must be refreshed before the next use: it has expired or soon will.
    var requiresRefresh: Bool { get }
}

/// Adds a credential to requests, detects that a server refuses it, and refreshes it.
public protocol Authenticator<Credential>: Sendable {
    /// The credential that requests carry.
    associatedtype Credential: AuthenticationCredential

    /// Adds the credential to the request, usually as `Authorization`, in place of an earlier one.
    func apply(_ credential: Credential, to request: inout TransportRequest)

    /// Fetches a credential that replaces `credential`. Only `setCredential` can lead to a second call before the first
    /// has returned.
    ///
    /// This method is allowed to send requests through a session with the same interceptor, which adds no credential to
    /// them, and starts no refresh after a 401 to them. So a refresh never waits for itself.
    /// - Throws: `AuthenticationError`, or any other error, which becomes `AuthenticationError.refreshFailed`.
    func refresh(_ credential: Credential) async throws -> Credential

    /// True if the server refused the credential. The default is true for any 401 (RFC 9110 §15.5.2).
    func isRefused(_ request: TransportRequest, in response: TransportResponse) -> Bool

    /// True if `request` carries this credential, and not an earlier one.
    func isRequest(_ request: TransportRequest, authenticatedWith credential: Credential) -> Bool
}

extension Authenticator {
    /// True for a 401.
    public func isRefused(_ request: TransportRequest, in response: TransportResponse) -> Bool {
        response.status == 401
    }
}
