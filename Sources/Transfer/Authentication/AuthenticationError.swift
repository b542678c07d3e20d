public import FerryProtocols

/// The reason why a request has no credential that a server would accept.
public enum AuthenticationError: UploadFailureConvertible {
    case missingCredential
    /// Refreshed as often as `RefreshWindow` allows; `last` is the error of the last refresh, if it failed.
    indirect case excessiveRefresh(last: AuthenticationError?)
    case refreshFailed(any Error)

    /// The error for users. A refresh that failed because the network was away is transient.
    public var failure: UploadFailure {
        switch self {
        case .missingCredential:
            return UploadFailure(
                .authentication, "there are no credentials for this server", hint: "sign in, then retry")
        case .excessiveRefresh(let last):
            // Without a network every refresh fails at once, which must not need the user.
            if let last = last?.failure, last.isTransient { return last }
            return UploadFailure(
                .authentication, "the server refuses credentials that were only just renewed",
                hint: last?.failure.hint ?? "check the rights of this account at the server, then retry")
        case .refreshFailed(let error): return Self.failure(for: error)
        }
    }

    private static func failure(for error: any Error) -> UploadFailure {
        let told = (error as? UploadFailure) ?? (error as? any UploadFailureConvertible)?.failure
        guard var failure = told else {
            return UploadFailure(
                .authentication, "the credentials could not be renewed: \(error)",
                hint: "sign in again, then retry")
        }
        failure.summary = "the credentials could not be renewed: \(failure.summary)"
        // Temporary failures are retried; all others need the user. The limit on refusals of the upload's server does
        // not apply to the token server: an hour without it must not end uploads.
        if failure.category == .server || failure.category.isOfNetwork { failure.category = .signInAway }
        if !failure.isTransient { failure.category = .authentication }
        // A status belongs to the upload's own server.
        failure.status = nil
        return failure
    }
}
