import FerryProtocols
import HTTPTypes
import Testing

@testable import FerryTransfer

struct DigestSessionTests {
    private func challenge(_ value: String) throws -> DigestChallenge {
        try #require(DigestChallenge(AuthenticationChallenge.list(value)))
    }

    private func response(_ authorization: String) -> String? {
        AuthenticationChallenge.list(authorization).first?.parameters["response"]
    }

    /// The values without `-sess` are from RFC 7616 §3.9.1. The others were computed with Python's hashlib by §3.4.2.
    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ("MD5-sess", "e783283f46242139c486a698fec7211d"),
        ("SHA-256-sess", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
    ])
    func `the RFC's request is signed as the RFC has it`(algorithm: String, expected: String) throws {
        var session = DigestSession(
            try challenge(
                "Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", algorithm=\(algorithm), "
                    + "nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", "
                    + "opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\""),
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        let value = session.authorization(
            user: "Mufasa", password: "Circle of Life", method: "GET", target: "/dir/index.html")
        #expect(response(value) == expected)
        let parameters = AuthenticationChallenge.list(value)[0].parameters
        #expect(parameters["username"] == "Mufasa")
        #expect(parameters["uri"] == "/dir/index.html")
        #expect(parameters["nc"] == "00000001")
        #expect(parameters["qop"] == "auth")
        #expect(parameters["algorithm"] == algorithm)
        #expect(parameters["opaque"] == "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS")
    }

    @Test func `the older RFC's request is signed as that has it`() throws {
        // RFC 2617 §3.5.
        let value =
            "Digest realm=\"testrealm@host.com\", qop=\"auth,auth-int\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\""
        var session = DigestSession(try challenge(value), clientNonce: "0a4f113b")
        let signed = session.authorization(
            user: "Mufasa", password: "Circle Of Life", method: "GET", target: "/dir/index.html")
        #expect(response(signed) == "6629fae49393a05397450978507c4ef1")
        #expect(!signed.contains("algorithm"))
    }

    @Test func `a request to a server without qualities is signed as RFC 2069 has it`() throws {
        let value = "Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\""
        var session = DigestSession(try challenge(value), clientNonce: "0a4f113b")
        let signed = session.authorization(
            user: "Mufasa", password: "Circle Of Life", method: "GET", target: "/dir/index.html")
        #expect(response(signed) == "670fd8c2df070c60b045671b8b24ff02")
        #expect(!signed.contains("nc="))
    }

    @Test func `each request has the next number, which begins anew with a new nonce`() throws {
        var session = DigestSession(
            try challenge("Digest realm=\"r\", nonce=\"n1\", qop=\"auth\""), clientNonce: "c")
        func count() -> String? {
            AuthenticationChallenge.list(
                session.authorization(user: "u", password: "p", method: "PUT", target: "/")
            )
            .first?.parameters["nc"]
        }
        #expect([count(), count(), count()] == ["00000001", "00000002", "00000003"])
        session.renew(nonce: "n2")
        #expect(count() == "00000001")
        #expect(session.challenge.nonce == "n2")
    }

    @Test func `names and paths with quotes and other scripts are written so that they can be read`() throws {
        var session = DigestSession(
            try challenge(#"Digest realm="a \"b\"", nonce="n", qop="auth""#), clientNonce: "c")
        let quoted = session.authorization(user: "a\"b", password: "p", method: "PUT", target: "/")
        #expect(quoted.contains(#"username="a\"b", realm="a \"b\"""#))
        // The name is from RFC 7616 §3.9.2.
        let other = session.authorization(user: "Jäsøn Doe", password: "p", method: "PUT", target: "/")
        #expect(other.contains("username*=UTF-8''J%C3%A4s%C3%B8n%20Doe"))
    }

    @Test(arguments: [
        "Basic realm=\"x\"", "Digest realm=\"x\"", "Digest nonce=\"x\"", "Digest realm=\"r\", nonce=\"\"",
        "Digest realm=\"r\", nonce=\"n\", algorithm=SHA-512-256",
        "Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\"",
    ])
    func `a challenge that is not supported is none`(value: String) {
        #expect(DigestChallenge(AuthenticationChallenge.list(value)) == nil)
    }

    @Test func `the proof of a signed request is a secret, and the server's challenge is none`() throws {
        var session = DigestSession(
            try challenge("Digest realm=\"team files\", nonce=\"n1234567\", qop=\"auth\""),
            clientNonce: "planted-nonce")
        let value = session.authorization(
            user: "planted-user", password: "p", method: "PUT", target: "/folder/")
        let proof = try #require(response(value))
        var secrets = Secrets()
        secrets.add(configuredURL: "", fields: [.authorization: value])
        let text = "Digest in the realm team files, auth, n1234567, /folder/"
        #expect(secrets.cut(from: text) == text)
        #expect(!secrets.cut(from: "\(proof) \(value)").contains(proof))
        #expect(!secrets.cut(from: "planted-user").contains("planted"))
    }

    @Test func `the first supported challenge is taken`() throws {
        let challenge = try challenge(
            "Digest realm=\"r\", nonce=\"a\", algorithm=SHA-512-256, Digest realm=\"r\", nonce=\"b\", "
                + "algorithm=sha-256, stale=TRUE, Digest realm=\"r\", nonce=\"c\"")
        #expect(challenge.nonce == "b")
        #expect(challenge.algorithm == .sha256)
        #expect(challenge.isStale)
    }
}
