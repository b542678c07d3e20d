import FerryProtocols

/// One Digest challenge that many requests use, each with its own nonce count (`nc`, RFC 7616 §3.4).
struct DigestSession: Hashable, Sendable {
    private(set) var challenge: DigestChallenge
    /// The client's nonce, with a `-sess` algorithm part of the key.
    private let clientNonce: String
    private(set) var count: UInt32 = 0
    /// The nonce of the first challenge, with a `-sess` algorithm part of the key.
    private let firstNonce: String

    init(_ challenge: DigestChallenge, clientNonce: String) {
        self.challenge = challenge
        self.clientNonce = clientNonce
        firstNonce = challenge.nonce
    }

    /// Sets another nonce for the next requests (`nextnonce`, RFC 7616 §3.5), and counts them from 1.
    mutating func renew(nonce: String) {
        guard !nonce.isEmpty, nonce != challenge.nonce else { return }
        challenge.nonce = nonce
        count = 0
    }

    /// Returns the value of `Authorization` for the next request to `target` (path and query), and counts it.
    mutating func authorization(user: String, password: String, method: String, target: String) -> String {
        count &+= 1
        let number = String(count, radix: 16)
        let padded = String(repeating: "0", count: 8 - number.count) + number
        let response = response(
            user: user, password: password, method: method, target: target, number: padded)
        var parts = [
            Self.userField(user.composed), "realm=\(Self.quoted(challenge.realm))",
            "nonce=\(Self.quoted(challenge.nonce))", "uri=\(Self.quoted(target))", "response=\"\(response)\"",
        ]
        if let algorithm = challenge.algorithm { parts.append("algorithm=\(algorithm.rawValue)") }
        if challenge.hasQuality {
            parts += ["qop=auth", "nc=\(padded)", "cnonce=\(Self.quoted(clientNonce))"]
        } else if challenge.algorithm?.isOfSession == true {
            parts.append("cnonce=\(Self.quoted(clientNonce))")
        }
        if let opaque = challenge.opaque { parts.append("opaque=\(Self.quoted(opaque))") }
        return "Digest " + parts.joined(separator: ", ")
    }

    /// Returns the `response` parameter of a request (RFC 7616 §3.4.1).
    ///
    /// - Parameter number: The request's nonce count (`nc`) in eight hexadecimal digits.
    func response(user: String, password: String, method: String, target: String, number: String) -> String {
        let secret = "\(user):\(challenge.realm):\(password)".composed
        var key = hash(secret)
        if challenge.algorithm?.isOfSession == true { key = hash("\(key):\(firstNonce):\(clientNonce)") }
        let request = hash("\(method):\(target)")
        return challenge.hasQuality
            ? hash("\(key):\(challenge.nonce):\(number):\(clientNonce):auth:\(request)")
            : hash("\(key):\(challenge.nonce):\(request)")
    }

    private func hash(_ text: String) -> String {
        DigestRequest.Form.hex.text(RunningDigest.of(Array(text.utf8), (challenge.algorithm ?? .md5).hash))
    }

    /// Returns the user name as the parameter `username`, or `username*` if it is not ASCII (RFC 7616 §3.4, RFC 8187).
    private static func userField(_ user: String) -> String {
        guard !user.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return "username=\(quoted(user))"
        }
        return "username*=UTF-8''" + user.percentEncoded(keeping: PlainCharacters(alphanumericsAnd: ""))
    }

    /// Returns the text as a quoted string (RFC 9110 §5.6.4).
    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
