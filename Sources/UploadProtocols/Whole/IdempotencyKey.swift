public import HTTPTypes

extension HTTPField.Name {
    /// The header field with a key that identifies a request (draft-ietf-httpapi-idempotency-key-header). A server that
    /// supports it does not execute a second request with the same key.
    public static let idempotencyKey = named("Idempotency-Key")
}

extension HTTPFields {
    /// The value of the field `Idempotency-Key`, without the quotes around it (RFC 9651 §3.3.3).
    public var idempotencyKey: String? {
        get { self[.idempotencyKey]?.trimmingPrefix("\"").prefix { $0 != "\"" }.description }
        set { self[.idempotencyKey] = newValue.map { "\"\($0)\"" } }
    }
}
