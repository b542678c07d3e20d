import HTTPTypes
import Testing

@testable import FerryProtocols

struct AuthenticationChallengeTests {
    @Test func `challenges and their parameters are separated`() {
        let challenges = AuthenticationChallenge.list(
            #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#)
        #expect(
            challenges == [
                .init(
                    scheme: "Newauth",
                    parameters: ["realm": "apps", "type": "1", "title": "Login to \"apps\""]),
                .init(scheme: "Basic", parameters: ["realm": "simple"]),
            ])
    }

    @Test func `credentials in one word are passed over`() {
        let challenges = AuthenticationChallenge.list(#"Negotiate YIIabc+/==, NTLM, Basic realm=a, Bearer"#)
        #expect(challenges.map(\.scheme) == ["Negotiate", "NTLM", "Basic", "Bearer"])
        #expect(challenges[2].parameters == ["realm": "a"])
    }

    @Test func `spaces around the equals sign and empty entries are taken`() {
        let challenges = AuthenticationChallenge.list(#" , Digest nonce = "n" , ,qop="auth,auth-int""#)
        #expect(challenges == [.init(scheme: "Digest", parameters: ["nonce": "n", "qop": "auth,auth-int"])])
    }

    @Test(arguments: [
        "", ",,,", "=", "\"", "Basic realm=\"open", "Basic realm=\"a\\", "a=b", "Digest nonce=,,=",
    ])
    func `an unreadable challenge does no harm`(value: String) {
        #expect(AuthenticationChallenge.list(value).count <= 1)
    }

    @Test func `a field without end is read to its limit`() {
        let value = String(repeating: "Basic realm=\"x\", ", count: 100_000)
        #expect(AuthenticationChallenge.list(value).count == 16)
    }

    @Test(arguments: [(16, "w16"), (17, "w16")])
    func `16 ways to sign in are read of a field`(count: Int, last: String) {
        let value = (1...count).map { "w\($0)" }.joined(separator: ", ")
        #expect(AuthenticationChallenge.list(value).last?.scheme == last)
    }

    @Test(arguments: [(8192, "Digest"), (8193, "Diges")])
    func `8 KiB are read of the field with ways to sign in`(length: Int, last: String) {
        let (first, end) = ("Basic", ", Digest")
        let blanks = String(repeating: " ", count: length - first.utf8.count - end.utf8.count)
        #expect(AuthenticationChallenge.list(first + blanks + end).last?.scheme == last)
    }

    @Test func `parameters without a scheme are read`() {
        #expect(AuthenticationChallenge.parameters(#"nextnonce="abc", nc=00000001"#)["nextnonce"] == "abc")
    }
}

/// Tests the messages when a server requires authentication.
struct SignInWishTests {
    private func failure(_ status: Int, _ wanted: String?, carried: Bool = true) -> UploadFailure {
        var answer = ExchangeOutcome.Response(status: status)
        answer.fields[.wwwAuthenticate] = wanted
        answer.carriedCredentials = carried
        return ResponseClassifier.failure(answer)
    }

    @Test func `a 401 names the schemes and the realm that the server wants`() {
        let failure = failure(401, #"Digest realm="team files", nonce="n", Basic realm="team files""#)
        #expect(
            failure.summary
                == #"the server answered 401 (not signed in); the server asks for Digest or Basic in the realm "team files""#
        )
        #expect(
            failure.hint
                == "check the destination's auth: the server takes user and password (basic, also for Digest); then retry"
        )
    }

    @Test func `four ways to sign in are named, and no fifth`() {
        let summary = failure(401, "One, Two, Three, Four, Five").summary
        #expect(summary.hasSuffix("the server asks for One or Two or Three or Four"), "\(summary)")
    }

    @Test func `a request without credentials is reported as one`() {
        let failure = failure(401, "Bearer", carried: false)
        #expect(
            failure.summary
                == "the server answered 401 (not signed in); no credentials were sent, the server asks for Bearer"
        )
        #expect(failure.hint == "set the destination's auth to a token (bearer), then retry")
    }

    @Test func `a server that names nothing gets the plain words`() {
        #expect(failure(401, nil).summary == "the server answered 401 (not signed in)")
        #expect(failure(401, nil).hint == "check the destination's auth, then retry")
    }

    @Test func `a 403 speaks of credentials only where some were sent`() {
        #expect(failure(403, nil).hint?.contains("these credentials") == true)
        #expect(failure(403, nil, carried: false).hint?.contains("these credentials") == false)
    }

    @Test func `a realm cannot steer a terminal`() {
        let failure = failure(401, "Basic realm=\"a\u{1B}[2Jb\u{202E}c\"")
        #expect(failure.summary.contains("\u{1B}") == false)
        #expect(failure.summary.contains("\u{202E}") == false)
    }
}
