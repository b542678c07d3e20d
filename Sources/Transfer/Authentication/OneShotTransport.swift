import FerryProtocols

/// A transport for rare requests. It opens a connection for each request, and closes the connection afterwards.
public struct OneShotTransport: Transport {
    private let configuration: HTTPClientTransport.Configuration

    /// - Parameter configuration: The settings of each connection. With invalid settings, every request fails.
    public init(_ configuration: HTTPClientTransport.Configuration = HTTPClientTransport.Configuration()) {
        self.configuration = configuration
    }

    public func perform(
        _ request: TransportRequest, delegate: (any UploadDelegate)?
    ) async throws(TransportError) -> TransportResponse {
        let transport: HTTPClientTransport
        do throws(UploadFailure) { transport = try HTTPClientTransport(configuration) } catch {
            throw TransportError(.source, error)
        }
        do throws(TransportError) {
            let response = try await transport.perform(request, delegate: delegate)
            await transport.shutdown()
            return response
        } catch {
            await transport.shutdown()
            throw error
        }
    }
}
