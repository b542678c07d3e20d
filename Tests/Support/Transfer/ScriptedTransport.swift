package import FerryTransfer

/// Responds to requests as a closure says. A file body is not read.
package struct ScriptedTransport: Transport {
    private let answer: @Sendable (TransportRequest) async -> Result<TransportResponse, TransportError>

    package init(
        _ answer: @escaping @Sendable (TransportRequest) async -> Result<TransportResponse, TransportError>
    ) {
        self.answer = answer
    }

    package func perform(
        _ request: TransportRequest, delegate: (any UploadDelegate)?
    ) async throws(TransportError) -> TransportResponse {
        try await answer(request).get()
    }
}
