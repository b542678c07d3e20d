import FerryProtocols
import Foundation
import HTTPTypes

@testable import FerryTransfer

extension FuzzSurface {
    /// The responses of sign-in servers, and authentication challenges.
    static let signIn = FuzzSurface("sign-in") { input in
        var input = input
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        switch input.byte() % 4 {
        case 0:
            let status = input.pick([200, 201, 400, 401, 429, 500])
            let response = TransportResponse(status: status, body: input.all)
            let secrets = Secrets(["canary-refresh-1"])
            do throws(OAuth2Response.Refusal) {
                let answer = try OAuth2Response(
                    response, from: "https://s.example/token", hiding: secrets, now: now)
                promise(
                    answer.accessToken.utf8.allSatisfy { (0x21...0x7E).contains($0) },
                    "no field can hold the token")
            } catch {
                promise(!error.failure.summary.contains("canary-refresh-1"), error.failure.summary)
            }
        case 1:
            let value = input.text
            guard let challenge = DigestChallenge(AuthenticationChallenge.list(value)) else { return }
            var session = DigestSession(challenge, clientNonce: "c")
            for nonce in ["", "n"] {
                session.renew(nonce: nonce)
                let value = session.authorization(
                    user: "hännä", password: "a:b", method: "PUT", target: "/a?b=c")
                promise(!value.utf8.contains { $0 < 0x20 && $0 != 0x09 }, "a line break in Authorization")
            }
        case 2:
            let status = input.pick([301, 307, 400, 401, 403, 501])
            let region = String(decoding: input.bytes(upTo: 80), as: UTF8.self)
            var fields: HTTPFields = [.date: "Wed, 21 Oct 2026 07:28:00 GMT"]
            fields[.amzBucketRegion] = region
            let response = TransportResponse(status: status, fields: fields, body: input.all)
            if case .region(let region, _)? = S3Refusal(response, now: now) {
                promise(S3Refusal.isRegion(region))
            }
        default:
            let status = input.pick([301, 302, 303, 307, 308])
            let goal = String(decoding: input.bytes(upTo: 512), as: UTF8.self)
            let asked: HTTPFields = [
                .authorization: "Bearer canary-1", .cookie: "a=canary-2", .accept: "*/*",
            ]
            let request = TransportRequest(method: .put, url: "https://server.example/a", fields: asked)
            let response = TransportResponse(status: status, fields: [.location: goal])
            guard let redirect = Redirect(response, to: request, asked: asked) else { return }
            let next = redirect.next
            let isHome = URL(string: next.url).flatMap(UploadAddress.origin) == "https://server.example:443"
            promise(isHome == redirect.staysAtServer)
            promise(
                isHome || !next.fields.contains { $0.value.contains("canary") }, "credentials for \(next.url)"
            )
            promise(redirect.nextWithinServer == nil || isHome)
        }
    }

    /// The removal of a request's secrets from texts, in each form in which a server may repeat them.
    static let redaction = FuzzSurface("redaction") { input in
        var input = input
        let secret = "canary+word/\(input.byte())=="
        var secrets = Secrets()
        secrets.add(configuredURL: "", fields: [.authorization: "Bearer \(secret)"])
        secrets.add(TransportRequest(method: .put, url: "https://s.example/a?sig=\(secret)"))
        let forms = [
            secret, secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret,
            Data(secret.utf8).base64EncodedString(),
            // The bytes before may begin an escape sequence. The space ends it.
            " " + secret.replacing("+", with: "&#43;").replacing("=", with: "&equals;"),
            " " + secret.replacing("+", with: "\\u002b").replacing("/", with: "\\/"),
            secret.utf8.map { String($0, radix: 16) }.joined(),
        ]
        let form = input.pick(forms)
        let before = String(decoding: input.bytes(upTo: 64), as: UTF8.self)
        let text = before + form + input.text
        let cut = secrets.cut(from: text)
        promise(!ByteSearch.finds(Array(form.utf8), in: cut), "\(cut.debugDescription) holds a secret")
        let known = KnownSecrets(Secrets([secret]))
        let failure = known.cut(from: UploadFailure(.server, text, hint: text))
        promise(
            !ByteSearch.finds(Array(form.utf8), in: failure.summary),
            "\(failure.summary.debugDescription) holds a secret")
        let line = Redaction.text(text)
        promise(
            !line.unicodeScalars.contains { $0.value < 0x20 && $0 != "\t" },
            "two lines: \(line.debugDescription)")
        let address = Redaction.address("https://me:\(secret)@s.example/\(input.text)?a=\(secret)")
        promise(!ByteSearch.finds(Array(secret.utf8), in: address), "\(address) holds a secret")
    }

    /// Proxy lists and proxy URLs.
    static let proxies = FuzzSurface("proxies") { input in
        let list = NoProxyList(input.text)
        _ = list.contains(host: "10.0.0.1", port: 80)
        _ = list.contains(host: "a.example", port: 443)
        guard let address = try? ProxyAddress(input.text) else { return }
        promise(!address.host.isEmpty && (1...65_535).contains(address.port))
    }
}
