import FerryFiles

/// Checks that the file is unchanged, right before a request that completes an upload without sending bytes of the
/// file. The sender runs this check after it has fetched the credentials. So it also notices a change during that
/// fetch, which can take long.
struct LastLook: RequestInterceptor {
    let file: SourceFile
    let identity: FileIdentity

    func adapt(_ request: TransportRequest, for context: RequestContext) async throws -> TransportRequest {
        try await file.confirm(identity)
        return request
    }
}
