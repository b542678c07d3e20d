import FerryFiles

/// Reads and writes the name of a file in `Content-Disposition` (RFC 6266, RFC 8187).
package enum ContentDisposition {
    /// Returns the field's value for a file name. Servers decode quotes, backslashes and characters other than
    /// printable ASCII differently, so `filename` has `_` for each, and `filename*` the unchanged name.
    package static func inline(filename name: String) -> String {
        let plain = String(
            String.UnicodeScalarView(
                name.unicodeScalars.map { scalar in
                    (0x20...0x7E).contains(scalar.value) && scalar != "\"" && scalar != "\\" ? scalar : "_"
                }))
        guard plain != name else { return "inline; filename=\"\(name)\"" }
        return "inline; filename=\"\(plain)\"; \(extended(filename: name))"
    }

    /// Returns the parameter `filename*`, which can contain any name (RFC 8187 §3.2).
    static func extended(filename name: String) -> String {
        "filename*=UTF-8''\(name.percentEncoded(keeping: attributeCharacters))"
    }

    /// Returns the file's name from `filename*`, or else from `filename`. An invalid or empty one counts as missing.
    package static func filename(in field: String) -> String? {
        let field = ParameterizedField(field)
        if let extended = field["filename*"] {
            let parts = extended.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
            if parts.count == 3, parts[0].lowercased() == "utf-8", let name = parts[2].percentDecoded(),
                !name.isEmpty
            {
                return name
            }
        }
        return field["filename"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The characters that `filename*` need not encode (`attr-char` of RFC 8187 §3.2.1).
    private static let attributeCharacters = PlainCharacters(alphanumericsAnd: "!#$&+-.^_`|~")
}
