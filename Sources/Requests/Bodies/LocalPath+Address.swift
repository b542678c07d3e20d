import FerryFiles
import FerryProtocols

extension LocalPath {
    /// Creates a path from a text, and refuses a URL. Without this check, `https://host/a.png` would be the path of a
    /// file in a folder named `https:`, and users would see the error that the file is missing.
    /// - Throws: `UploadFailure` (`permanent`) if the text is a URL or empty.
    init(notAnAddress text: String) throws(UploadFailure) {
        if let colon = text.firstRange(of: "://"), Self.isScheme(text[..<colon.lowerBound]) {
            throw UploadFailure(
                .permanent, "\(text.debugDescription) is an address, not the path of a file",
                hint: "give the path of a file on this machine")
        }
        guard !text.isEmpty else {
            throw UploadFailure(
                .permanent, "the path is empty", hint: "give the path of a file on this machine")
        }
        self.init(text)
    }

    /// Returns whether the text has the form of a URL scheme (RFC 3986 §3.1).
    private static func isScheme(_ text: Substring) -> Bool {
        text.first?.isLetter == true
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }
}
