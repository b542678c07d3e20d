import FerryProtocols
import FerryTestSupport
import HTTPTypes
import Synchronization
import Testing

@testable import FerryTransfer

/// A server with Digest authentication. It checks each response, and accepts each nonce count (nc) of a nonce once.
private final class DigestServer: Sendable {
    private struct State {
        var nonce = 1
        var seen: Set<String> = []
        var challenges = 0
        var withoutDigest = 0
    }

    private let state = Mutex(State())
    private let password: String
    /// The number of requests that a nonce is valid for. With `tellsNext` the last response contains the next nonce.
    private let requestsPerNonce: Int
    private let tellsNext: Bool
    private let saysStale: Bool

    init(
        password: String = "pw", requestsPerNonce: Int = .max, tellsNext: Bool = false, saysStale: Bool = true
    ) {
        self.password = password
        self.requestsPerNonce = requestsPerNonce
        self.tellsNext = tellsNext
        self.saysStale = saysStale
    }

    var challenges: Int { state.withLock { $0.challenges } }
    var withoutDigest: Int { state.withLock { $0.withoutDigest } }

    /// Forgets all nonces, as a restarted server does.
    func restart() { state.withLock { $0.nonce += 1000 } }

    var server: TokenServer { TokenServer { [self] in .success(answer($0)) } }

    private func answer(_ request: TransportRequest) -> TransportResponse {
        state.withLock { state in
            let sent = AuthenticationChallenge.list(request.fields[.authorization] ?? "").first {
                $0.isScheme("Digest")
            }
            guard let sent else {
                state.withoutDigest += 1
                return challenge(&state, isStale: false)
            }
            let parameters = sent.parameters
            let current = "nonce\(state.nonce)"
            guard parameters["nonce"] == current, let count = parameters["nc"],
                state.seen.insert("\(current) \(count)").inserted
            else { return challenge(&state, isStale: saysStale) }
            let key = hash("u:r:\(password)")
            let asked = hash("\(request.method.rawValue):\(parameters["uri"] ?? "")")
            let expected = hash("\(key):\(current):\(count):\(parameters["cnonce"] ?? ""):auth:\(asked)")
            guard parameters["response"] == expected,
                request.url == "http://server.example\(parameters["uri"] ?? "")"
            else { return challenge(&state, isStale: false) }
            var answer = TransportResponse.status(200)
            if state.seen.count % requestsPerNonce == 0 {
                state.nonce += 1
                if tellsNext {
                    answer.fields[.named("Authentication-Info")] = "nextnonce=\"nonce\(state.nonce)\""
                }
            }
            return answer
        }
    }

    private func challenge(_ state: inout State, isStale: Bool) -> TransportResponse {
        state.challenges += 1
        var answer = TransportResponse.status(401)
        answer.fields[.wwwAuthenticate] =
            "Digest realm=\"r\", nonce=\"nonce\(state.nonce)\", qop=\"auth\", algorithm=MD5"
            + (isStale ? ", stale=true" : "")
        return answer
    }

    private func hash(_ text: String) -> String {
        DigestRequest.Form.hex.text(RunningDigest.of(Array(text.utf8), .md5))
    }
}

struct PasswordInterceptorTests {
    private func interceptor() -> PasswordInterceptor {
        PasswordInterceptor(user: "u", password: { "pw" })
    }

    @Test func `a server that takes Basic is sent Basic`() async {
        let server = TokenServer(accepting: "Basic dTpwdw==")
        #expect(await RequestDriver(interceptor: interceptor(), server: server).run().status == 200)
        #expect(server.requests.count == 1)
    }

    @Test func `one challenge serves many requests, each with its own number and path`() async {
        let digest = DigestServer()
        let driver = RequestDriver(interceptor: interceptor(), server: digest.server)
        for path in ["/", "/a%20b/c?d=%2F&e", "/%C3%A4", "/x"] {
            #expect(await driver.run(path).status == 200, "\(path)")
        }
        #expect(digest.challenges == 1)
    }

    @Test func `requests at the same time are all signed`() async {
        let digest = DigestServer()
        let driver = RequestDriver(interceptor: interceptor(), server: digest.server)
        #expect(await driver.run(count: 50).allSatisfy { $0.status == 200 })
    }

    @Test func `a stale nonce is replaced, and the request is made again once`() async {
        let digest = DigestServer(requestsPerNonce: 2)
        let driver = RequestDriver(interceptor: interceptor(), server: digest.server)
        for _ in 0..<6 { #expect(await driver.run().status == 200) }
        // One challenge for each nonce.
        #expect(digest.challenges == 3)
        #expect(digest.withoutDigest == 1)
    }

    @Test func `the nonce that a server names for the next request saves a refusal`() async {
        let digest = DigestServer(requestsPerNonce: 1, tellsNext: true)
        let driver = RequestDriver(interceptor: interceptor(), server: digest.server)
        for _ in 0..<6 { #expect(await driver.run().status == 200) }
        #expect(digest.challenges == 1)
    }

    @Test func `a server that forgot its nonces and does not call them stale is signed to again`() async {
        let digest = DigestServer(saysStale: false)
        let driver = RequestDriver(interceptor: interceptor(), server: digest.server)
        for _ in 0..<2 { #expect(await driver.run().status == 200) }
        digest.restart()
        #expect(await driver.run().status == 200)
    }

    @Test func `a server that calls each nonce stale gets three requests more at most`() async {
        let requests = Counter()
        let server = TokenServer { _ in
            var answer = TransportResponse.status(401)
            answer.fields[.wwwAuthenticate] = "Digest realm=r, nonce=n\(requests.add()), qop=auth, stale=true"
            return .success(answer)
        }
        let driver = RequestDriver(interceptor: interceptor(), server: server)
        #expect(await driver.run().failure?.response?.status == 401)
        #expect(requests.value == 4)
    }

    @Test func `a wrong password is tried once, and the password does not go out by Basic again`() async {
        let digest = DigestServer(password: "other")
        let driver = RequestDriver(interceptor: interceptor(), server: digest.server)
        #expect(await driver.run().failure?.response?.status == 401)
        #expect(digest.challenges == 2)
        #expect(await driver.run().failure?.response?.status == 401)
        #expect(digest.withoutDigest == 1)
    }

    @Test func `a newer password is used after a refusal`() async {
        let password = Mutex("old")
        let digest = DigestServer()
        let driver = RequestDriver(
            interceptor: PasswordInterceptor(
                user: "u", password: { password.withLock { $0 } },
                afterRefusal: {
                    password.withLock {
                        $0 = "pw"
                        return $0
                    }
                }), server: digest.server)
        #expect(await driver.run().status == 200)
    }
}
