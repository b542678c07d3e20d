public import HTTPTypes

extension HTTPField.Name {
    /// The header field with the unique key of a request (draft-ietf-httpapi-idempotency-key-header). A server that
    /// supports the field executes a request only once, even if it receives several requests with the same key.
    public static let idempotencyKey = named("Idempotency-Key")
}

extension HTTPFields {
    /// The value of `Idempotency-Key` without the quotes of a structured string (RFC 9651 §3.3.3); nil if missing.
    public var idempotencyKey: String? {
        get { self[.idempotencyKey]?.trimmingPrefix("\"").prefix { $0 != "\"" }.description }
        set { self[.idempotencyKey] = newValue.map { "\"\($0)\"" } }
    }
}
