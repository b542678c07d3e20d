import FerryFiles
import FerryProtocols

extension LocalPath {
    /// Creates a path from a text that is not a URL: `https://host/a.png` would be taken for a file in a folder
    /// `https:`, and then be reported as missing.
    /// - Throws: `UploadFailure` (`permanent`).
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

    /// Returns whether the text is a scheme (RFC 3986 §3.1).
    private static func isScheme(_ text: Substring) -> Bool {
        text.first?.isLetter == true
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }
}
