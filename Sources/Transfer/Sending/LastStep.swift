import FerryProtocols

/// Runs a step right before a request is sent, after the credentials are fetched, which can take long. The step runs
/// again if a retrier repeats the request.
struct LastStep: RequestInterceptor {
    let run: @Sendable () async throws(UploadFailure) -> Void

    func adapt(_ request: TransportRequest, for context: RequestContext) async throws -> TransportRequest {
        try await run()
        return request
    }
}
