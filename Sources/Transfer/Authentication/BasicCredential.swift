package import FerryProtocols

/// A user and a password in the form of `Authorization: Basic` (RFC 7617).
package struct BasicCredential: Hashable, Sendable {
    package let user: String
    /// The password. It can be empty, and can contain colons.
    package let password: String

    /// - Throws: `UploadFailure` (`authentication`) for a control character, or a colon in the user name.
    package init(user: String, password: String) throws(UploadFailure) {
        guard !user.contains(":") else {
            throw Self.unusable("a user may not have a colon in it")
        }
        let isControl = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory == .control }
        guard !(user + password).unicodeScalars.contains(where: isControl) else {
            throw Self.unusable("user and password may not hold control characters")
        }
        self.user = user
        self.password = password
    }

    /// The value of `Authorization`, in Base64 of UTF-8 in Normalization Form C (RFC 7617 §2.1).
    package var fieldValue: String {
        let pair = "\(user):\(password)".composed
        return "Basic \(Data(pair.utf8).base64EncodedString())"
    }

    private static func unusable(_ summary: String) -> UploadFailure {
        UploadFailure(.authentication, summary, hint: "check the destination's auth, then retry")
    }
}
