import Crypto
import NIOCore
import NIOSSL

/// The SHA-256 of a certificate's public key with its algorithm (SubjectPublicKeyInfo, RFC 7469 §2.4), the same after a
/// renewal with the same key.
public struct SPKIPin: Hashable, Sendable, CustomStringConvertible {
    private static let mark = "sha256//"

    private let digest: [UInt8]

    /// - Parameter text: The pin in curl's form, `sha256//` and base64, or the base64 alone; nil otherwise.
    public init?(_ text: String) {
        let base64 = text.hasPrefix(Self.mark) ? text.dropFirst(Self.mark.count) : text[...]
        guard let data = Data(base64Encoded: String(base64)), data.count == SHA256.byteCount else {
            return nil
        }
        digest = Array(data)
    }

    /// - Parameter bytes: The key in DER form.
    public init(subjectPublicKeyInfo bytes: [UInt8]) { digest = Array(SHA256.hash(data: bytes)) }

    /// The pin in curl's form.
    public var description: String { Self.mark + Data(digest).base64EncodedString() }
}

struct PinMismatch: Error {
    var seen: SPKIPin
}

extension SPKIPin {
    /// Checks after the TLS handshake that the server's key is one of `pins`, if there are pins and TLS.
    ///
    /// - Throws: `PinMismatch`; another error if the server's certificate is missing or cannot be read.
    static func check(_ channel: any Channel, against pins: [SPKIPin]) throws {
        guard !pins.isEmpty,
            let handler = try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
        else { return }
        guard let certificate = handler.peerCertificate else { throw NIOSSLError.noCertificateToValidate }
        let seen = SPKIPin(subjectPublicKeyInfo: try certificate.extractPublicKey().toSPKIBytes())
        guard pins.contains(seen) else { throw PinMismatch(seen: seen) }
    }
}
