/// The proof to a server of who sends a request: a token, a pair of keys.
public protocol AuthenticationCredential: Sendable {
    /// True if it is to be renewed before it is used again: its time is over, or nearly. Asked on every adaptation.
    var requiresRefresh: Bool { get }
}

/// Puts a credential on requests, says when a server refuses it, and renews it.
public protocol Authenticator<Credential>: Sendable {
    /// The credential that requests carry.
    associatedtype Credential: AuthenticationCredential

    /// Writes the credential into the request, usually as `Authorization`, in place of one that is there.
    func apply(_ credential: Credential, to request: inout TransportRequest)

    /// Gets a credential in place of `credential`. Not called again before it has returned, unless a
    /// credential was set from outside meanwhile.
    ///
    /// What it asks through a session with the same interceptor goes out without credentials and is not retried for
    /// them: it must not wait for itself.
    func refresh(_ credential: Credential) async throws -> Credential

    /// True if the server did not accept the credential. By default any 401 (RFC 9110 §15.5.2).
    func isRefused(_ request: TransportRequest, in response: TransportResponse) -> Bool

    /// True if `request` carries this credential, and not one before it.
    func isRequest(_ request: TransportRequest, authenticatedWith credential: Credential) -> Bool
}

extension Authenticator {
    /// True for a 401.
    public func isRefused(_ request: TransportRequest, in response: TransportResponse) -> Bool {
        response.status == 401
    }
}
