import FerryFiles

/// Looks at the file when a request that finishes an upload without carrying any of it is ready to go, each time: to
/// fetch credentials may have taken long.
struct LastLook: RequestInterceptor {
    let file: SourceFile
    let identity: FileIdentity

    func adapt(_ request: TransportRequest, for context: RequestContext) async throws -> TransportRequest {
        try await file.confirm(identity)
        return request
    }
}
