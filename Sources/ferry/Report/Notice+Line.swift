import FerryUploads

extension Notice {
    /// Safe for a terminal.
    var line: String { "\(kind.rawValue): \(SafeLine.text(text))" }
}
