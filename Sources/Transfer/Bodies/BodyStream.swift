public import FerryProtocols
import Synchronization

/// A body that is produced while it is sent: the output of a program, a compressor, a download.
///
/// The value describes how to produce the bytes: every attempt opens a new stream, so a body that was partly sent can
/// be sent again from its first byte.
public struct BodyStream: Sendable {
    /// The bytes of one attempt, in order. Empty chunks are allowed; an error ends the attempt.
    public typealias Chunks = any AsyncSequence<[UInt8], any Error>

    /// The exact number of bytes; nil if it is unknown before the end. The body is then sent chunked (RFC 9112 §7.1),
    /// which some servers refuse with a 411.
    public let length: ByteCount?
    private let begin: @Sendable () async throws -> sending Chunks
    private let isLeft: @Sendable () -> Bool

    /// - Parameters:
    ///   - length: The number of bytes. A stream with more or fewer bytes ends the request with an error.
    ///   - begin: Makes the chunks of one attempt, from the first byte. Chunks of 64 to 512 KiB cost least.
    public init(length: ByteCount? = nil, _ begin: @escaping @Sendable () async throws -> sending Chunks) {
        self.length = length
        self.begin = begin
        isLeft = { true }
    }

    init(
        length: ByteCount?, isLeft: @escaping @Sendable () -> Bool,
        begin: @escaping @Sendable () async throws -> sending Chunks
    ) {
        self.length = length
        self.isLeft = isLeft
        self.begin = begin
    }

    /// Returns a body from an open stream, which can be read only once. A second attempt to send this body fails.
    public static func once(
        length: ByteCount? = nil, _ chunks: some AsyncSequence<[UInt8], any Error> & Sendable
    ) -> BodyStream {
        let flag = OnceFlag()
        return BodyStream(
            length: length, isLeft: { !flag.isTaken },
            begin: {
                guard flag.take() else { throw UploadFailure.streamWasRead }
                return chunks
            })
    }

    /// False if the stream can be read only once, and was read.
    public var canBegin: Bool { isLeft() }

    /// Opens the stream at its first byte.
    /// - Throws: `UploadFailure` (`permanent`) for a second reading of a stream that can be read once; or the error of
    ///   `begin`.
    public func open() async throws -> sending Chunks { try await begin() }
}

extension UploadFailure {
    static let streamWasRead = UploadFailure(
        .permanent, "the stream was read already and cannot be sent again",
        hint: "give the body as a stream that can begin anew, or as a file")
}

private final class OnceFlag: Sendable {
    private let taken = Mutex(false)

    var isTaken: Bool { taken.withLock { $0 } }

    func take() -> Bool {
        taken.withLock { taken in
            defer { taken = true }
            return !taken
        }
    }
}
