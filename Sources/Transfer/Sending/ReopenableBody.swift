package import FerryProtocols

/// A body that each attempt opens anew, so that a request which failed half-way goes out whole the next time.
package protocol ReopenableBody: Sendable {
    /// Bytes, where they can be told before `open()`.
    var knownLength: ByteCount? { get }
    /// False if the bytes could be had only once, and were.
    var canBegin: Bool { get }
    /// Makes the body of one attempt, from its first byte.
    func open() async throws -> TransportRequest.Body
}

extension TransportRequest.Body: ReopenableBody {
    package var knownLength: ByteCount? { length }
    package func open() async throws -> TransportRequest.Body { self }

    /// False if a stream in it could be read once only, and was.
    package var canBegin: Bool {
        guard case .streamed(let body) = self else { return true }
        return body.segments.allSatisfy { segment in
            if case .stream(let stream) = segment { stream.canBegin } else { true }
        }
    }
}
