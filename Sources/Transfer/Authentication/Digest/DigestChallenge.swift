import FerryProtocols

/// A server's challenge for Digest authentication (RFC 7616 §3.3).
struct DigestChallenge: Hashable, Sendable {
    enum Algorithm: String, Hashable, Sendable {
        case md5 = "MD5"
        case md5Session = "MD5-sess"
        case sha256 = "SHA-256"
        case sha256Session = "SHA-256-sess"

        init?(named name: String) {
            let known = [Self.md5, .md5Session, .sha256, .sha256Session].first {
                $0.rawValue.lowercased() == name.lowercased()
            }
            guard let known else { return nil }
            self = known
        }

        var hash: DigestAlgorithm {
            switch self {
            case .md5, .md5Session: .md5
            case .sha256, .sha256Session: .sha256
            }
        }

        /// True if A1, which is made from the user's name and password, also contains both nonces (RFC 7616 §3.4.2).
        var isOfSession: Bool { self == .md5Session || self == .sha256Session }
    }

    var realm: String
    var nonce: String
    var opaque: String?
    /// The algorithm that the server named, and requests must name then; nil means MD5.
    var algorithm: Algorithm?
    /// True if the server offers `qop=auth`. Without it (RFC 2069), a request has no nonce count, and has a client
    /// nonce only for a `-sess` algorithm.
    var hasQuality: Bool
    /// True if the server refused only the nonce, because it is too old.
    var isStale: Bool

    /// Chooses the first Digest challenge that this client supports (RFC 7616 §3.7).
    init?(_ challenges: [AuthenticationChallenge]) {
        for case let challenge? in challenges.map(DigestChallenge.init) {
            self = challenge
            return
        }
        return nil
    }

    /// Parses a challenge. The result is nil for another scheme, without realm or nonce, for an unknown algorithm, for
    /// a `qop` without `auth`, and for a control character, which a request could not repeat in a header field.
    init?(_ challenge: AuthenticationChallenge) {
        let parameters = challenge.parameters
        guard challenge.isScheme("Digest"), let realm = parameters["realm"], let nonce = parameters["nonce"],
            !nonce.isEmpty, parameters.values.allSatisfy({ !$0.utf8.contains { $0 < 0x20 || $0 == 0x7F } })
        else { return nil }
        if let name = parameters["algorithm"] {
            guard let algorithm = Algorithm(named: name) else { return nil }
            self.algorithm = algorithm
        }
        if let qualities = parameters["qop"] {
            let words = qualities.lowercased().split { ", ".contains($0) }
            guard words.contains("auth") else { return nil }
            hasQuality = true
        } else {
            hasQuality = false
        }
        self.realm = realm
        self.nonce = nonce
        opaque = parameters["opaque"]
        isStale = parameters["stale"]?.lowercased() == "true"
    }
}
