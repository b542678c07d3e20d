import FerryTransfer

/// Answers requests as a closure says. A file body is not read.
struct ScriptedTransport: Transport {
    private let answer: @Sendable (TransportRequest) async -> Result<TransportResponse, TransportError>

    init(_ answer: @escaping @Sendable (TransportRequest) async -> Result<TransportResponse, TransportError>)
    {
        self.answer = answer
    }

    func perform(
        _ request: TransportRequest, delegate: (any UploadDelegate)?
    ) async throws(TransportError) -> TransportResponse {
        try await answer(request).get()
    }
}
