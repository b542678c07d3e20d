import Foundation
import HTTPTypes

/// What is cut before anything is shown, logged or counted.
enum Redaction {
    static let mark = "…"

    /// The address without user info and query values.
    static func address(_ url: String) -> String {
        guard var parts = URLComponents(string: url) else { return "(an address that cannot be read)" }
        parts.user = nil
        parts.password = nil
        parts.queryItems = parts.queryItems?.map { URLQueryItem(name: $0.name, value: mark) }
        return (parts.string ?? "(an address that cannot be read)").replacingOccurrences(
            of: "%E2%80%A6", with: mark)
    }

    static func fields(_ fields: HTTPFields) -> HTTPFields {
        HTTPFields(
            fields.map { field in
                holdsSecret(field.name) ? HTTPField(name: field.name, value: mark) : field
            })
    }

    /// True for the fields that carry credentials by their definition, and for those whose name says so.
    static func holdsSecret(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        return ["cookie", "set-cookie"].contains(name) || telling.contains { name.contains($0) }
    }

    private static let telling = [
        "authorization", "authentication", "token", "secret", "password", "passwd", "credential", "signature",
        "session", "api-key", "apikey", "access-key", "encryption",
    ]
}
