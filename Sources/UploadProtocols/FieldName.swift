package import HTTPTypes

extension HTTPField.Name {
    /// A field name in our own source; a name that is not a token (RFC 9110 §5.1) is a programming error.
    package static func named(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is no field name") }
        return name
    }
}

/// The fields that are lists of words (RFC 9110 §5.6.1).
enum FieldList {
    /// Returns the words in order; none if the field is missing.
    static func words(_ field: String?) -> [String] {
        (field ?? "").split(separator: ",").map { String($0).trimmingSpaces }.filter { !$0.isEmpty }
    }
}
