public import FerryProtocols
public import HTTPTypes

/// A request as it may be shown: without user info, query values and the values of fields that may hold a secret.
public struct RequestSummary: Hashable, Sendable {
    /// As it is sent.
    public let method: HTTPRequest.Method
    /// Without user info; the values in its query are cut.
    public let url: String
    /// The values of fields that may hold a secret are cut.
    public let fields: HTTPFields
    /// Bytes of the body; nil if nobody knows before its end.
    public private(set) var bodyLength: ByteCount?

    /// Cuts what may be a secret from `request`.
    public init(_ request: TransportRequest) {
        self.init(
            method: request.method, url: request.url, fields: request.fields, bodyLength: request.body.length)
    }

    init(method: HTTPRequest.Method, url: String, fields: HTTPFields, bodyLength: ByteCount?) {
        self.method = method
        self.url = Redaction.address(url)
        self.fields = Redaction.fields(fields)
        self.bodyLength = bodyLength
    }

    /// The same with a body of this many bytes.
    func carrying(_ bodyLength: ByteCount?) -> RequestSummary {
        var summary = self
        summary.bodyLength = bodyLength
        return summary
    }
}
