package import FerryProtocols

/// A body that each attempt opens again, so that a request that failed midway is sent completely the next time.
package protocol ReopenableBody: Sendable {
    var knownLength: ByteCount? { get }
    /// True if the body can be read from its first byte; false after the only reading of a stream.
    var canBegin: Bool { get }
    func open() async throws -> TransportRequest.Body
}

extension TransportRequest.Body: ReopenableBody {
    package var knownLength: ByteCount? { length }
    package func open() async throws -> TransportRequest.Body { self }

    package var canBegin: Bool {
        guard case .streamed(let body) = self else { return true }
        return body.segments.allSatisfy { segment in
            if case .stream(let stream) = segment { stream.canBegin } else { true }
        }
    }
}
