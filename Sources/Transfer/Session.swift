import Foundation
import HTTPTypes
import UploadProtocols

/// Makes the requests of uploads to one destination: adapts each, sends it, follows what may be followed.
///
/// It retries nothing but a request that met a kept connection which the server was just closing. Every other retry
/// belongs to the queue.
public struct Session: Sendable {
    /// A chain of redirects longer than this is a loop.
    private static let redirectLimit = 5

    private let transport: any Transport
    private let adapters: [any RequestAdapter]
    private let monitors: [any EventMonitor]

    public init(
        transport: any Transport, adapters: [any RequestAdapter] = [], monitors: [any EventMonitor] = []
    ) {
        self.transport = transport
        self.adapters = adapters
        self.monitors = monitors
    }

    /// Makes one request, and after a 307 or 308 the same request again where the server says, from its first byte.
    ///
    /// - Parameter label: Names the upload in events.
    /// - Returns: The final answer. A redirect that may not be followed is answered as it is.
    /// - Throws: `TransportError` if there was no complete answer.
    public func perform(
        _ request: TransportRequest, label: String, delegate: (any UploadDelegate)? = nil
    ) async throws(TransportError) -> TransportResponse {
        var request = request
        for _ in 0...Self.redirectLimit {
            let response = try await send(request, label: label, delegate: delegate)
            guard [307, 308].contains(response.status),
                let next = Self.target(of: response, from: request.url)
            else {
                return response
            }
            report(.redirected(label: label, to: Self.redacted(next)))
            request.url = next
        }
        throw TransportError(
            .broken,
            UploadFailure(.permanent, "the server redirects in a circle", hint: "check the destination's url")
        )
    }

    func report(_ event: TransferEvent) {
        for monitor in monitors { monitor.receive(event) }
    }

    private func send(
        _ request: TransportRequest, label: String, delegate: (any UploadDelegate)?
    ) async throws(TransportError) -> TransportResponse {
        do throws(TransportError) {
            return try await sendOnce(request, label: label, delegate: delegate)
        } catch {
            guard Self.mayRepeat(request, after: error) else { throw error }
            report(.retriedOnFreshConnection(label: label))
            return try await sendOnce(request, label: label, delegate: delegate)
        }
    }

    /// Only what a server may see twice, or what it cannot have seen, is sent again (RFC 9110 §9.2.2).
    private static func mayRepeat(_ request: TransportRequest, after error: TransportError) -> Bool {
        switch error.reason {
        case .unsent: true
        case .staleConnection: request.isRepeatable || error.bodySent == 0 && request.body.length > 0
        case .cancelled, .notConnected, .broken, .source: false
        }
    }

    private func sendOnce(
        _ request: TransportRequest, label: String, delegate: (any UploadDelegate)?
    ) async throws(TransportError) -> TransportResponse {
        var adapted = request
        for adapter in adapters {
            do throws(UploadFailure) { adapted = try await adapter.adapt(adapted) } catch {
                throw TransportError(.source, error)
            }
        }
        report(
            .exchangeStarted(
                label: label, method: request.method.rawValue, url: Self.redacted(request.url),
                bytes: request.body.length))
        do throws(TransportError) {
            let response = try await transport.perform(adapted, delegate: delegate)
            report(.exchangeAnswered(label: label, status: response.status, bytesSent: response.bodySent))
            return response
        } catch {
            report(.exchangeBroke(label: label, summary: error.failure.summary, bytesSent: error.bodySent))
            throw error
        }
    }

    /// Where a redirect leads, if it stays at the same origin: nowhere else do our credentials and bytes go.
    private static func target(of response: TransportResponse, from url: String) -> String? {
        response.fields[.location].flatMap { try? UploadAddress.resolve($0, against: url) }
    }

    /// The address without user info and query values, for logs.
    static func redacted(_ url: String) -> String {
        guard var parts = URLComponents(string: url) else { return "(an address that cannot be read)" }
        parts.user = nil
        parts.password = nil
        parts.queryItems = parts.queryItems?.map { URLQueryItem(name: $0.name, value: "…") }
        return parts.string ?? "(an address that cannot be read)"
    }
}
