package import HTTPTypes

extension HTTPField.Name {
    /// A name that stands in our own source; one that is no token (RFC 9110 §5.1) is our mistake.
    package static func named(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is no field name") }
        return name
    }
}

/// Fields that are lists of words (RFC 9110 §5.6.1).
enum FieldList {
    /// The words in their order; none if there is no field.
    static func words(_ field: String?) -> [String] {
        (field ?? "").split(separator: ",").map { String($0).trimmingSpaces }.filter { !$0.isEmpty }
    }
}
