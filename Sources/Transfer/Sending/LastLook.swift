import FerryFiles

/// Checks the file before each request that completes an upload without sending bytes of the file. An earlier check may
/// be too old, because fetching credentials may take long.
struct LastLook: RequestInterceptor {
    let file: SourceFile
    let identity: FileIdentity

    func adapt(_ request: TransportRequest, for context: RequestContext) async throws -> TransportRequest {
        try await file.confirm(identity)
        return request
    }
}
