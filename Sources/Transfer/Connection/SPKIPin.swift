import Crypto
import FerryFiles
import NIOCore
import NIOSSL

/// The SHA-256 of a certificate's public key with its algorithm (SubjectPublicKeyInfo, RFC 7469 §2.4): it stays the same
/// when a certificate is renewed with the same key.
public struct SPKIPin: Hashable, Codable, Sendable, CustomStringConvertible {
    private static let mark = "sha256//"

    private let digest: [UInt8]

    /// - Parameter text: As curl writes it, `sha256//` and base64; the base64 alone will do. nil if it is something else.
    public init?(_ text: String) {
        let base64 = text.hasPrefix(Self.mark) ? text.dropFirst(Self.mark.count) : text[...]
        guard let data = Data(base64Encoded: String(base64)), data.count == SHA256.byteCount else {
            return nil
        }
        digest = Array(data)
    }

    /// - Parameter bytes: The DER form.
    public init(subjectPublicKeyInfo bytes: [UInt8]) { digest = Array(SHA256.hash(data: bytes)) }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let pin = SPKIPin(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "expected sha256// and 44 characters of base64")
        }
        self = pin
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// The pin as curl writes it.
    public var description: String { Self.mark + Data(digest).base64EncodedString() }
}

/// The server proved to be who its certificate says, with a key that is none of the pinned ones.
struct PinMismatch: Error {
    var seen: SPKIPin
}

extension SPKIPin {
    /// Looks at the key of the other side of a connection whose handshake is complete. A plain connection has none,
    /// and passes.
    ///
    /// - Throws: `PinMismatch`.
    static func check(_ channel: any Channel, against pins: [SPKIPin]) throws {
        guard !pins.isEmpty,
            let handler = try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
        else { return }
        guard let certificate = handler.peerCertificate else { throw NIOSSLError.noCertificateToValidate }
        let seen = SPKIPin(subjectPublicKeyInfo: try certificate.extractPublicKey().toSPKIBytes())
        guard pins.contains(seen) else { throw PinMismatch(seen: seen) }
    }
}
