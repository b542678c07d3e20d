import NIOSSL

/// The meaning of TLS errors: whose certificate was refused, the reason in words, and the next step for the user.
///
/// The library distinguishes reasons only by BoringSSL's names, such as `TLSV1_ALERT_UNKNOWN_CA`.
enum TLSFailure {
    static func isHandshake(_ error: NIOSSLError) -> Bool {
        switch error {
        case .handshakeFailed, .unableToValidateCertificate: true
        default: false
        }
    }

    /// True if the connection ended during the TLS handshake without a reason, for example when a server restarts.
    static func isEndOfConnection(_ error: NIOSSLError) -> Bool {
        if case .handshakeFailed = error { return name(in: error).isEmpty }
        return false
    }

    /// True if the server refuses the client's certificate. In TLS 1.3 the server checks it after the client's
    /// handshake (RFC 8446 §4.4.2.4), so the error can occur during the request.
    static func isAboutOurCertificate(_ error: any Error) -> Bool {
        let name = name(in: error)
        return name.contains("ALERT")
            && ["CERTIFICATE", "UNKNOWN_CA", "ACCESS_DENIED"].contains { name.contains($0) }
    }

    static func isAboutTheirCertificate(_ error: any Error) -> Bool {
        name(in: error).contains("CERTIFICATE_VERIFY_FAILED")
    }

    static func hint(for error: any Error) -> String {
        let name = name(in: error)
        if isAboutOurCertificate(error) || name.contains("ALERT_HANDSHAKE_FAILURE") {
            return "the server may want a certificate of ours; see tls.certificate and tls.key"
                + (name.contains("HANDSHAKE_FAILURE")
                    ? "; or it has only old cipher suites; see tls.allowLegacyCiphers" : "")
        }
        if name.contains("UNSUPPORTED_PROTOCOL") || name.contains("PROTOCOL_VERSION") {
            return "the server speaks another version of TLS; see tls.minimumVersion"
        }
        if name.contains("WRONG_VERSION_NUMBER") {
            return "the server may speak no TLS at all there: then its address begins with http:"
        }
        return "if the server has a private authority, name its certificate as tls.caFile"
    }

    /// Returns the reason for users, without the library's file names and line numbers.
    static func reason(of error: any Error) -> String {
        let name = name(in: error)
        return name.isEmpty ? "\(error)" : name.lowercased().replacing("_", with: " ")
    }

    private static func name(in error: any Error) -> String {
        let text = "\(error)"
        guard let mark = text.firstRange(of: "OPENSSL_internal:") else { return "" }
        return String(
            text[mark.upperBound...].prefix { $0.isASCII && ($0.isUppercase || $0.isNumber || $0 == "_") })
    }
}
