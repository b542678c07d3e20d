import FerryFiles
import FerryProtocols
import NIOSSL

/// The settings of TLS connections: the certificates that they trust and present, the pinned keys, the versions and the
/// cipher suites.
public struct TLSSettings: Hashable, Codable, Sendable {
    /// A version of TLS.
    public enum Version: String, Hashable, Codable, Sendable, CaseIterable {
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    /// The path of a PEM file of certificate authorities, which replace those of the system.
    public var authorities: String?
    /// The path of a PEM file of the client's certificate chain, for servers that request one.
    public var certificate: String?
    /// The path of the PEM file of the certificate's key.
    public var key: String?
    /// The allowed keys of the server's own certificate. One match is enough, and an empty list allows any key. The
    /// certificate is verified as well. Keys of certificate authorities are not compared.
    public var pins: [SPKIPin]
    /// The oldest accepted version (RFC 8996 forbids versions before 1.2).
    public var minimumVersion: Version
    /// The exact names of hosts whose certificate is not verified: an attacker on the path can read and change all data
    /// sent to them. All other hosts are verified.
    public var insecureHosts: Set<String>
    /// True to offer more cipher suites in TLS 1.2, for old servers: those without forward secrecy, and those in CBC
    /// mode.
    public var allowsLegacyCiphers: Bool
    /// True to refuse a certificate or key file that another user can replace, change or create. This is checked each
    /// time before a file is read.
    package var checksFiles = false

    public init(
        authorities: String? = nil, certificate: String? = nil, key: String? = nil, pins: [SPKIPin] = [],
        minimumVersion: Version = .tls12, insecureHosts: Set<String> = [], allowsLegacyCiphers: Bool = false
    ) {
        self.authorities = authorities
        self.certificate = certificate
        self.key = key
        self.pins = pins
        self.minimumVersion = minimumVersion
        self.insecureHosts = insecureHosts
        self.allowsLegacyCiphers = allowsLegacyCiphers
    }

    private enum CodingKeys: String, CodingKey {
        case authorities, certificate, key, pins, minimumVersion
        case insecureHosts = "insecure"
        case allowsLegacyCiphers = "allowLegacyCiphers"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            authorities: try container.decodeIfPresent(String.self, forKey: .authorities),
            certificate: try container.decodeIfPresent(String.self, forKey: .certificate),
            key: try container.decodeIfPresent(String.self, forKey: .key),
            pins: try container.decodeIfPresent([SPKIPin].self, forKey: .pins) ?? [],
            minimumVersion: try container.decodeIfPresent(Version.self, forKey: .minimumVersion) ?? .tls12,
            insecureHosts: try container.decodeIfPresent(Set<String>.self, forKey: .insecureHosts) ?? [],
            allowsLegacyCiphers: try container.decodeIfPresent(Bool.self, forKey: .allowsLegacyCiphers)
                ?? false)
    }

    func verifies(host: String) -> Bool {
        !insecureHosts.contains { $0.lowercased() == host.lowercased() }
    }

    /// The TLS 1.2 suites with forward secrecy and authenticated encryption (RFC 9325 §4.2), in BoringSSL's names. All
    /// suites of TLS 1.3 have both and need no list.
    private static let safeCipherSuites = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
        "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305",
    ].joined(separator: ":")

    /// - Throws: `UploadFailure` (`permanent`) if a certificate or key file cannot be used. The failure names the file.
    func configuration() throws(UploadFailure) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion =
            switch minimumVersion {
            case .tls12: .tlsv12
            case .tls13: .tlsv13
            }
        if !allowsLegacyCiphers { configuration.cipherSuites = Self.safeCipherSuites }
        if let authorities {
            configuration.trustRoots = .certificates(
                try read(authorities) { try NIOSSLCertificate.fromPEMFile(authorities) })
        }
        if let certificate {
            configuration.certificateChain = try read(certificate) {
                try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) }
            }
        }
        if let key {
            configuration.privateKey = .privateKey(
                try read(key) { try NIOSSLPrivateKey(file: key, format: .pem) })
        }
        return configuration
    }

    /// The maximum size of a TLS file, in bytes. A bundle of all public authorities has less than 1 MiB.
    static let fileLimit: ByteCount = 16 << 20

    private func read<Value>(_ file: String, _ body: () throws -> Value) throws(UploadFailure) -> Value {
        if checksFiles {
            do throws(PathIssue) { try PathTrust.check(LocalPath(file)) } catch {
                throw UploadFailure(.permanent, error.summary(of: "the TLS file"), hint: error.hint)
            }
        }
        let status: FileStatus
        do throws(SystemCallError) { status = try FileStatus(LocalPath(file), follows: true) } catch {
            throw UploadFailure(
                .permanent, "the TLS file \(file) cannot be read: \(error.code.phrase)",
                hint: "put a PEM file there, or name another one in tls")
        }
        guard status.identity.size <= Self.fileLimit else {
            throw UploadFailure(
                .permanent, "the TLS file \(file) has more than 16 MiB",
                hint: "name a PEM file in tls with only the certificates that are needed")
        }
        do { return try body() } catch {
            throw UploadFailure(
                .permanent, "the TLS file \(file) cannot be used: \(error)",
                hint: "name a readable PEM file in tls")
        }
    }
}
