package import FerryProtocols

extension UploadFailure {
    package static let holdsBoundary = UploadFailure(
        .permanent, "its content holds the form's boundary",
        hint: "choose another boundary, or none: one is made up")

    /// Returns the failure with the name of a form part before its summary.
    /// - Parameter label: The name of the part; nil leaves the failure unchanged.
    package func inPart(_ label: String?) -> UploadFailure {
        guard let label else { return self }
        var failure = self
        failure.summary = "\(label): \(summary)"
        return failure
    }
}
