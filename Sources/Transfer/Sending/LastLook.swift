/// Checks that the file is unchanged, right before a request that completes an upload without bytes of the file. The
/// check comes after the credentials are fetched, which can take long.
struct LastLook: RequestInterceptor {
    let file: SourceFile
    let identity: FileIdentity

    func adapt(_ request: TransportRequest, for context: RequestContext) async throws -> TransportRequest {
        try await file.confirm(identity)
        return request
    }
}
