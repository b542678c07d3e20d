public import FerryProtocols
public import HTTPTypes

/// A request as it may be shown: without user info, query values and the values of fields that may hold a secret.
public struct RequestSummary: Hashable, Sendable {
    /// The method that is sent.
    public let method: HTTPRequest.Method
    /// The address without user info; the values in its query are cut.
    public let url: String
    /// The values of fields that may hold a secret are cut.
    public let fields: HTTPFields
    /// Bytes of the body; nil if nobody knows before its end.
    public private(set) var bodyLength: ByteCount?

    /// Cuts what may be a secret from `request`.
    public init(_ request: TransportRequest) {
        self.init(request, bodyLength: request.body.length)
    }

    /// - Parameters:
    ///   - bodyLength: Of the body that is opened for the request.
    ///   - hasFields: False leaves the header fields out.
    init(_ request: TransportRequest, bodyLength: ByteCount?, hasFields: Bool = true) {
        method = request.method
        url = Redaction.address(request.url)
        fields = hasFields ? Redaction.fields(request.fields) : [:]
        self.bodyLength = bodyLength
    }

    /// The same with a body of this many bytes.
    func carrying(_ bodyLength: ByteCount?) -> RequestSummary {
        var summary = self
        summary.bodyLength = bodyLength
        return summary
    }
}
