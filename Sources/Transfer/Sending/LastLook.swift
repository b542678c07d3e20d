import FerryFiles

/// Checks the file each time a request is ready that finishes an upload without a byte of the file: fetching
/// credentials may have taken long.
struct LastLook: RequestInterceptor {
    let file: SourceFile
    let identity: FileIdentity

    func adapt(_ request: TransportRequest, for context: RequestContext) async throws -> TransportRequest {
        try await file.confirm(identity)
        return request
    }
}
