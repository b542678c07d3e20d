package import FerryTransfer

/// A transport whose responses a closure makes. It does not read bodies from files.
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
