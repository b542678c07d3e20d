package import FerryProtocols

extension UploadFailure {
    /// If a server asks for credentials and the user gave only a URL, returns a failure that names the command to set
    /// up a destination. Only a destination can have `auth` in the configuration. Returns any other failure unchanged.
    ///
    /// - Parameter destination: The name of the upload's destination; empty if the user gave only a URL.
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
