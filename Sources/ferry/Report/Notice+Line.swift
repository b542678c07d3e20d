import FerryUploads

extension Notice {
    /// The notice as a line that is safe for a terminal.
    var line: String { "\(kind.rawValue): \(SafeLine.text(text))" }
}
