package import FerryTransfer
import HTTPTypes

/// Calls `body` with a transport that has short timeouts, and closes the transport afterwards.
package func withTransport<Result>(
    connect: Duration = .seconds(5), stall: Duration = .seconds(10), response: Duration = .seconds(10),
    tls: TLSSettings = TLSSettings(), proxy: ProxySettings = .none, monitors: [any EventMonitor] = [],
    _ body: (HTTPClientTransport) async throws -> Result
) async throws -> Result {
    let transport = try HTTPClientTransport(
        .init(
            timeouts: .init(connect: connect, stall: stall, response: response), tls: tls, proxy: proxy),
        monitors: monitors)
    do {
        let result = try await body(transport)
        await transport.shutdown()
        return result
    } catch {
        await transport.shutdown()
        throw error
    }
}

extension HTTPClientTransport {
    /// Sends a request and returns the response or the error.
    package func outcome(
        of request: TransportRequest, delegate: (any UploadDelegate)? = nil
    ) async -> Result<TransportResponse, TransportError> {
        do throws(TransportError) {
            return .success(try await perform(request, delegate: delegate))
        } catch {
            return .failure(error)
        }
    }

    /// Sends the whole file by PUT and returns the response or the error.
    package func put(
        _ file: TestFile, to url: String
    ) async throws -> Result<TransportResponse, TransportError> {
        await outcome(of: TransportRequest(method: .put, url: url, body: try file.body()))
    }
}

extension Result where Success == TransportResponse, Failure == TransportError {
    package var status: Int? { try? get().status }
    package var error: TransportError? { if case .failure(let error) = self { error } else { nil } }
}
