package import HTTPTypes

extension HTTPField.Name {
    /// A name that stands in our own source; one that is no token (RFC 9110 §5.1) is our mistake.
    package static func named(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is no field name") }
        return name
    }
}
