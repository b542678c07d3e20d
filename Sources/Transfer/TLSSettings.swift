import NIOSSL
import UploadProtocols

/// What makes a TLS connection trusted and known. Verification cannot be switched off.
public struct TLSFiles: Hashable, Codable, Sendable {
    /// A PEM file of authorities trusted instead of the system's.
    public var authorities: String?
    /// A PEM file of our certificate chain, for servers that ask for one.
    public var certificate: String?
    /// The PEM file of the certificate's key.
    public var key: String?

    public init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
        self.authorities = authorities
        self.certificate = certificate
        self.key = key
    }

    func configuration() throws(UploadFailure) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let authorities {
            configuration.trustRoots = .certificates(
                try Self.read(authorities) { try NIOSSLCertificate.fromPEMFile(authorities) })
        }
        if let certificate {
            configuration.certificateChain = try Self.read(certificate) {
                try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) }
            }
        }
        if let key {
            configuration.privateKey = .privateKey(
                try Self.read(key) { try NIOSSLPrivateKey(file: key, format: .pem) })
        }
        return configuration
    }

    private static func read<Value>(_ file: String, _ body: () throws -> Value) throws(UploadFailure) -> Value
    {
        do { return try body() } catch {
            throw UploadFailure(
                .permanent, "the TLS file \(file) cannot be used: \(error)",
                hint: "it must be a readable PEM file; see tls in the configuration")
        }
    }
}
