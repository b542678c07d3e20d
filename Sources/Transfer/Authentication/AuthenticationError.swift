public import FerryProtocols

/// The reason why a request has no credential that a server would accept.
public enum AuthenticationError: UploadFailureConvertible {
    case missingCredential
    /// There were too many refreshes within a period (`RefreshWindow`). `last` is the error of the last one; nil if it
    /// succeeded, or if the credential was replaced since.
    indirect case excessiveRefresh(last: AuthenticationError?)
    case refreshFailed(any Error)

    /// The failure in words for users, transient if the refresh failed for a temporary reason.
    public var failure: UploadFailure {
        switch self {
        case .missingCredential:
            return UploadFailure(
                .authentication, "there are no credentials for this server", hint: "sign in, then retry")
        case .excessiveRefresh(let last):
            // Without a network every refresh fails at once. The queue must then retry by itself.
            if let last = last?.failure, last.isTransient { return last }
            return UploadFailure(
                .authentication, "the server refuses credentials that were only just renewed",
                hint: last?.failure.hint ?? "check the rights of this account at the server, then retry")
        case .refreshFailed(let error): return Self.failure(for: error)
        }
    }

    private static func failure(for error: any Error) -> UploadFailure {
        let known = (error as? UploadFailure) ?? (error as? any UploadFailureConvertible)?.failure
        guard var failure = known else {
            return UploadFailure(
                .authentication, "the credentials could not be renewed: \(error)",
                hint: "sign in again, then retry")
        }
        failure.summary = "the credentials could not be renewed: \(failure.summary)"
        // The queue retries temporary failures. `signInAway` does not count as a failure of the upload's server: an
        // hour without the token server must not end uploads.
        if failure.category == .server || failure.category.isOfNetwork { failure.category = .signInAway }
        if !failure.isTransient { failure.category = .authentication }
        // `status` must be a status of the upload's own server.
        failure.status = nil
        return failure
    }
}
