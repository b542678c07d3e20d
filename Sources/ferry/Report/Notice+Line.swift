import FerryUploads

extension Notice {
    /// The notice in one line, with control characters escaped.
    var line: String { "\(kind.rawValue): \(SafeLine.text(text))" }
}
