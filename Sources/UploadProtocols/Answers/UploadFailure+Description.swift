public import FerryFiles

/// A failure that is printed says its sentence, and what to do about it.
extension UploadFailure: CustomStringConvertible, LocalizedError {
    /// `summary`, and `hint` in parentheses where there is one.
    public var description: String { hint.map { "\(summary) (\($0))" } ?? summary }
    /// `summary`.
    public var errorDescription: String? { summary }
    /// `hint`.
    public var recoverySuggestion: String? { hint }
}
