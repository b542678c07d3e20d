public import HTTPTypes
public import UploadProtocols

/// Completes a request before each try: credentials, headers of the destination.
///
/// Adapters run in order, each on what the one before made, from the same unadapted request each time.
public protocol RequestAdapter: Sendable {
    /// - Throws: `UploadFailure` if the request cannot be made, such as a secret that cannot be read.
    func adapt(_ request: TransportRequest) async throws(UploadFailure) -> TransportRequest
}

/// Adds fixed fields; those of the request itself win.
public struct FieldAdapter: RequestAdapter {
    public let fields: HTTPFields

    public init(_ fields: HTTPFields) { self.fields = fields }

    public func adapt(_ request: TransportRequest) async throws(UploadFailure) -> TransportRequest {
        var request = request
        for field in fields where !request.fields.contains(field.name) { request.fields.append(field) }
        return request
    }
}

/// Adds `Authorization`, asking for its value on each try, so that a secret that was renewed is used at once.
public struct AuthorizationAdapter: RequestAdapter {
    private let value: @Sendable () async throws(UploadFailure) -> String

    public init(_ value: @escaping @Sendable () async throws(UploadFailure) -> String) { self.value = value }

    public func adapt(_ request: TransportRequest) async throws(UploadFailure) -> TransportRequest {
        var request = request
        request.fields[.authorization] = try await value()
        return request
    }
}
