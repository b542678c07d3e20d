public import FerryProtocols
public import HTTPTypes

/// A request in a form that is safe to show: without user info, query values, and possible secrets in header fields.
public struct RequestSummary: Hashable, Sendable {
    /// The HTTP method.
    public let method: HTTPRequest.Method
    /// The URL without user info, query values, fragment and possible secrets in its path.
    public private(set) var url: String
    /// The header fields.
    public let fields: HTTPFields
    /// The number of bytes of the body; nil if it is unknown yet.
    public private(set) var bodyLength: ByteCount?

    /// Makes the summary of `request` without possible secrets.
    public init(_ request: TransportRequest) {
        self.init(request, bodyLength: request.body.length)
    }

    /// - Parameters:
    ///   - bodyLength: The length of the body that is opened for the request; nil if the length is unknown.
    ///   - hasFields: False to leave out the header fields.
    init(_ request: TransportRequest, bodyLength: ByteCount?, hasFields: Bool = true) {
        method = request.method
        url = Redaction.address(request.url)
        fields = hasFields ? Redaction.fields(request.fields) : [:]
        self.bodyLength = bodyLength
    }

    /// Returns the summary without secrets in its URL. A server can put one into the path of an upload's URL.
    func without(_ secrets: Secrets) -> RequestSummary {
        var summary = self
        summary.url = secrets.cut(fromAddress: url)
        return summary
    }

    func carrying(_ bodyLength: ByteCount?) -> RequestSummary {
        var summary = self
        summary.bodyLength = bodyLength
        return summary
    }
}
