package import HTTPTypes

extension HTTPField.Name {
    /// Returns `name`, a constant, as the name of a header field. Traps if it is not a token (RFC 9110 §5.1).
    package static func named(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is not a field name") }
        return name
    }
}

/// The parser for header fields that contain a comma-separated list (RFC 9110 §5.6.1).
package enum FieldList {
    /// Returns the elements of the list in order, without blanks around them and without empty ones.
    package static func words(_ field: String?) -> [String] {
        (field ?? "").split(separator: ",").map { String($0).trimmingSpaces }.filter { !$0.isEmpty }
    }
}

extension ExchangeOutcome.Response {
    /// The methods in the field `Allow`, in upper case.
    var allowedMethods: [String] { FieldList.words(fields[.allow]).map { $0.uppercased() } }
}
