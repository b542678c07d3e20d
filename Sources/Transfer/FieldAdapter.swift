public import HTTPTypes

/// Adds fixed fields; those of the request itself win.
public struct FieldAdapter: RequestAdapter {
    public let fields: HTTPFields

    public init(_ fields: HTTPFields) { self.fields = fields }

    public func adapt(_ request: TransportRequest, for context: RequestContext) -> TransportRequest {
        var request = request
        for field in fields where !request.fields.contains(field.name) { request.fields.append(field) }
        return request
    }
}
