import FerryProtocols

/// A transport for rare requests, with a connection of its own for each.
public struct OneShotTransport: Transport {
    private let configuration: HTTPClientTransport.Configuration
    private let reads: FileReads<[UInt8], UploadFailure>

    /// - Parameter configuration: With invalid settings, every request fails.
    public init(_ configuration: HTTPClientTransport.Configuration = HTTPClientTransport.Configuration()) {
        self.init(configuration, readers: .shared)
    }

    /// - Parameter readers: The threads on which TLS files are read.
    init(_ configuration: HTTPClientTransport.Configuration, readers: BlockingIOPool) {
        self.configuration = configuration
        reads = FileReads(readers)
    }

    public func perform(
        _ request: TransportRequest, delegate: (any UploadDelegate)?
    ) async throws(TransportError) -> TransportResponse {
        let transport: HTTPClientTransport
        do throws(UploadFailure) {
            transport = try HTTPClientTransport(
                configuration, files: try await TLSFiles(of: configuration.tls, by: reads))
        } catch {
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
