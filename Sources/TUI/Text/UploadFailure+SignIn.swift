package import FerryProtocols

extension UploadFailure {
    /// Returns a failure that names the command to set up a destination if a server wants credentials and `destination`
    /// is empty, because the user gave only a URL. Only a destination can have `auth`.
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
