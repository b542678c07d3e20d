import FerryFiles

/// Checks that the file is unchanged, just before a request that completes an upload but carries no bytes of the file.
/// A check before the credentials are fetched would be too early, because fetching them can take long.
struct LastLook: RequestInterceptor {
    let file: SourceFile
    let identity: FileIdentity

    func adapt(_ request: TransportRequest, for context: RequestContext) async throws -> TransportRequest {
        try await file.confirm(identity)
        return request
    }
}
