public import FerryProtocols

/// The reason why a request has no credential that a server would accept.
public enum AuthenticationError: UploadFailureConvertible {
    case missingCredential
    /// Renewed as often as `RefreshWindow` allows; `last` is what the last try failed with, if it failed.
    indirect case excessiveRefresh(last: AuthenticationError?)
    case refreshFailed(any Error)

    /// The error for users. A renewal that failed for want of a network passes by itself.
    public var failure: UploadFailure {
        switch self {
        case .missingCredential:
            return UploadFailure(
                .authentication, "there are no credentials for this server", hint: "sign in, then retry")
        case .excessiveRefresh(let last):
            // Without a network every renewal fails at once: that must not need a person.
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
        // What passes by itself is waited for; everything else needs a person. How often the upload's own server may
        // refuse is no matter of the one that renews: an hour without that must not end uploads.
        if failure.category == .server || failure.category.isOfNetwork { failure.category = .signInAway }
        if !failure.isTransient { failure.category = .authentication }
        // A status speaks of the upload's own server.
        failure.status = nil
        return failure
    }
}
