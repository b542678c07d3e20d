import FerryFiles

/// The name of a file in `Content-Disposition` (RFC 6266, RFC 8187).
package enum ContentDisposition {
    /// Returns the field's value. A name that is not plain ASCII is added in full, for servers that support it.
    package static func inline(filename name: String) -> String {
        let plain = plainText(name)
        guard plain != name else { return "inline; filename=\"\(name)\"" }
        return "inline; filename=\"\(plain)\"; \(extended(filename: name))"
    }

    /// Returns the parameter for any name in full (RFC 8187 §3.2).
    static func extended(filename name: String) -> String {
        "filename*=UTF-8''\(name.percentEncoded(keeping: attributeCharacters))"
    }

    /// Returns the file's name, preferably the full one; nil if there is none.
    package static func filename(in field: String) -> String? {
        let field = ParameterizedField(field)
        if let extended = field["filename*"] {
            let parts = extended.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
            if parts.count == 3, parts[0].lowercased() == "utf-8",
                let name = parts[2].percentDecoded(),
                !name.isEmpty
            {
                return name
            }
        }
        return field["filename"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns a name for a `quoted-string`, without the characters that readers unescape differently.
    private static func plainText(_ name: String) -> String {
        String(
            String.UnicodeScalarView(
                name.unicodeScalars.map { scalar in
                    (0x20...0x7E).contains(scalar.value) && scalar != "\"" && scalar != "\\" ? scalar : "_"
                }))
    }

    /// The characters `attr-char` of RFC 8187 §3.2.1.
    private static let attributeCharacters = PlainCharacters(alphanumericsAnd: "!#$&+-.^_`|~")
}
