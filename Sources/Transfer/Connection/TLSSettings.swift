import FerryProtocols
import NIOSSL

/// The settings of TLS connections: the certificates that they trust and present, the pinned keys, the versions and the
/// cipher suites.
public struct TLSSettings: Hashable, Sendable {
    /// A version of TLS.
    public enum Version: String, Hashable, Sendable, CaseIterable {
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    /// The path of a PEM file of certificate authorities, which replace those of the system.
    public var caFile: String?
    /// The path of a PEM file of the client's certificate chain, for servers that request one.
    public var certificate: String?
    /// The path of the PEM file of the certificate's key.
    public var key: String?
    /// The allowed keys of the server's own certificate, which is verified as well; an empty list allows any key.
    public var pins: [SPKIPin]
    /// The oldest accepted version (RFC 8996 forbids versions before 1.2).
    public var minimumVersion: Version
    /// The exact names of hosts whose certificate is not verified: an attacker on the path can change all data.
    public var insecureHosts: Set<String>
    /// True to offer also the TLS 1.2 suites without forward secrecy and in CBC mode, for old servers.
    public var allowsLegacyCiphers: Bool
    /// True to refuse a file that another user can replace, change or create, before each read.
    package var checksFiles = false

    public init(
        caFile: String? = nil, certificate: String? = nil, key: String? = nil, pins: [SPKIPin] = [],
        minimumVersion: Version = .tls12, insecureHosts: Set<String> = [], allowsLegacyCiphers: Bool = false
    ) {
        self.caFile = caFile
        self.certificate = certificate
        self.key = key
        self.pins = pins
        self.minimumVersion = minimumVersion
        self.insecureHosts = insecureHosts
        self.allowsLegacyCiphers = allowsLegacyCiphers
    }

    func verifies(host: String) -> Bool {
        !insecureHosts.contains { $0.lowercased() == host.lowercased() }
    }

    /// The TLS 1.2 suites with forward secrecy and authenticated encryption (RFC 9325 §4.2), in BoringSSL's names. All
    /// suites of TLS 1.3 have both.
    private static let safeCipherSuites = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
        "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305",
    ].joined(separator: ":")

    var files: [String] { [caFile, certificate, key].compactMap { $0 } }

    /// - Throws: `UploadFailure` (`permanent`) that names a certificate or key file that cannot be used.
    func configuration(_ files: TLSFiles) throws(UploadFailure) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion =
            switch minimumVersion {
            case .tls12: .tlsv12
            case .tls13: .tlsv13
            }
        if !allowsLegacyCiphers { configuration.cipherSuites = Self.safeCipherSuites }
        if let caFile {
            configuration.trustRoots = .certificates(
                try files.parse(caFile) { try NIOSSLCertificate.fromPEMBytes($0) })
        }
        if let certificate {
            configuration.certificateChain = try files.parse(certificate) {
                try NIOSSLCertificate.fromPEMBytes($0).map { .certificate($0) }
            }
        }
        if let key {
            configuration.privateKey = .privateKey(
                try files.parse(key) { try NIOSSLPrivateKey(bytes: $0, format: .pem) })
        }
        return configuration
    }
}
