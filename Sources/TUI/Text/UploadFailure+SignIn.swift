package import FerryProtocols

extension UploadFailure {
    /// Returns the failure with the command that helps, if a server asks for credentials and the user gave only an
    /// address: the configuration has no `auth` for an address. Returns any other failure unchanged.
    ///
    /// - Parameter destination: The name of the upload's destination; empty for an address.
    package func advised(for destination: String) -> UploadFailure {
        guard category == .authentication, status == 401, destination.isEmpty else { return self }
        // The summary names the schemes that the server asks for.
        let wantsToken = summary.contains("Bearer")
        let option = wantsToken ? " --token-file FILE" : ""
        var failure = self
        failure.summary = "not signed in (401): the server wants \(wantsToken ? "a token" : "credentials")"
        failure.hint = "set up a destination with `ferry init URL\(option)`, then add the file to it"
        return failure
    }
}
