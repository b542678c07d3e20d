import FerryFiles
import NIOSSL

/// The certificate and the key of a receiver that speaks TLS.
public struct ReceiverTLS: Sendable {
    /// The path of a PEM file with the certificate and the certificates that signed it.
    public let certificate: String
    /// The path of a PEM file with the private key of the certificate, without a password.
    public let key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// - Throws: `ReceiverError.file` with the file that cannot be used.
    func context() throws(ReceiverError) -> NIOSSLContext {
        let chain: [NIOSSLCertificate]
        do { chain = try NIOSSLCertificate.fromPEMFile(certificate) } catch {
            throw Self.unusable(certificate, "a certificate in PEM")
        }
        guard !chain.isEmpty else { throw .file(certificate, reason: "it holds no certificate in PEM") }
        let privateKey: NIOSSLPrivateKey
        do { privateKey = try NIOSSLPrivateKey(file: key, format: .pem) } catch {
            throw Self.unusable(key, "a key in PEM without a password")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        configuration.minimumTLSVersion = .tlsv12
        // Suites with forward secrecy and authenticated encryption (RFC 9325 §4.2). All suites of TLS 1.3 have both.
        configuration.cipherSuites = "ECDHE+AESGCM:ECDHE+CHACHA20"
        configuration.applicationProtocols = ["http/1.1"]
        do { return try NIOSSLContext(configuration: configuration) } catch {
            throw .file(key, reason: "it does not belong to the certificate \(certificate)")
        }
    }

    private static func unusable(_ path: String, _ content: String) -> ReceiverError {
        // BoringSSL reports the same error for a missing file and for wrong content.
        do throws(SystemCallError) {
            _ = OpenFile(try NoFollowOpen.following(LocalPath(path)), name: path)
            return .file(path, reason: "it does not hold \(content)")
        } catch {
            return .file(path, reason: error.reason)
        }
    }
}
