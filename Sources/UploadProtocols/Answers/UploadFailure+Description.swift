public import FerryFiles

/// The printed form of a failure: its sentence and the next step.
extension UploadFailure: CustomStringConvertible, LocalizedError {
    /// The summary, followed by the hint in parentheses if there is one.
    public var description: String { hint.map { "\(summary) (\($0))" } ?? summary }
    /// The summary.
    public var errorDescription: String? { summary }
    /// The hint.
    public var recoverySuggestion: String? { hint }
}
