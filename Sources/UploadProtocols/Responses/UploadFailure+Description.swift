public import FerryFiles

/// Prints a failure as its message for users.
extension UploadFailure: CustomStringConvertible, LocalizedError {
    /// The summary, followed by the hint in parentheses if there is one.
    public var description: String { hint.map { "\(summary) (\($0))" } ?? summary }
    /// The summary, for callers that read a `LocalizedError`.
    public var errorDescription: String? { summary }
    /// The hint, for callers that read a `LocalizedError`.
    public var recoverySuggestion: String? { hint }
}
