public import HTTPTypes
public import UploadProtocols

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

/// Adds `Authorization`, asking for its value on each try, so that a secret that was renewed is used at once.
public struct AuthorizationAdapter: RequestAdapter {
    private let value: @Sendable () async throws(UploadFailure) -> String

    public init(_ value: @escaping @Sendable () async throws(UploadFailure) -> String) { self.value = value }

    public func adapt(
        _ request: TransportRequest, for context: RequestContext
    ) async throws -> TransportRequest {
        var request = request
        request.fields[.authorization] = try await value()
        return request
    }
}
