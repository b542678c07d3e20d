public import HTTPTypes

extension HTTPField.Name {
    /// The key of a request (draft-ietf-httpapi-idempotency-key-header): a server that supports it executes a request
    /// once, however often it receives it.
    public static let idempotencyKey = named("Idempotency-Key")
}

extension HTTPFields {
    /// The key without its quotes: the field is a structured string (RFC 9651 §3.3.3).
    public var idempotencyKey: String? {
        get { self[.idempotencyKey]?.trimmingPrefix("\"").prefix { $0 != "\"" }.description }
        set { self[.idempotencyKey] = newValue.map { "\"\($0)\"" } }
    }
}
