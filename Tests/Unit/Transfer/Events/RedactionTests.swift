import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

struct RedactionTests {
    @Test(arguments: [
        ("hvs.CAESIJ1xq3c8m0d7k2", true), ("kJ3v9Qw2Zx8Lr5Tn1Bm7==", true), ("abcdefghijklmnop", true),
        ("5f2b8c1d-9e0a-4b3c-8d7e-1a2b3c4d5e6f", true), ("s.1234567890abcdef", true),
        ("bucket-owner-full-control", false), ("from 1 of 12 cameras", false), ("short1234", false),
        ("2024-08-04-preview", false), ("camera-17.example.org", false),
    ])
    func `a long value with a part that is no word looks random`(value: String, isRandom: Bool) {
        #expect(Redaction.looksRandom(value) == isRandom)
    }

    @Test(arguments: [
        ("https://server.example/f", "https://server.example/f"),
        ("https://user:word@server.example:8443/a%20b", "https://server.example:8443/a%20b"),
        ("https://token@server.example/f", "https://server.example/f"),
        ("https://us%65r:w%40rd@server.example/f", "https://server.example/f"),
        ("https://h/f?X-Amz-Signature=abc&partNumber=7", "https://h/f?X-Amz-Signature=…&partNumber=…"),
        ("https://h/f?to%6ben=abc", "https://h/f?to%6ben=…"),
        ("https://h/f?c2VjcmV0", "https://h/f?…"), ("https://h/f?c2VjcmV0==", "https://h/f?…"),
        ("https://h/f?a b{}=secret", "https://h/f?a%20b%7B%7D=…"),
        ("https://h/f?a=b=c&&d=e", "https://h/f?a=…&d=…"),
        ("https://h/f#access_token=abc", "https://h/f#…"), ("https://h/f?a=b#c", "https://h/f?a=…#…"),
        ("https://h/f;jsessionid=abc/g", "https://h/f;jsessionid=…/g"),
        ("https://h/f%3Ftoken%3Dab%2Fcd", "https://h/f%3Ftoken%3D…"),
        (
            "https://h/proxy/https%3A%2F%2Fuser%3Aword%40other%2Ff",
            "https://h/proxy/https%3A%2F%2F…%40other%2Ff"
        ),
        ("https://[::1]:8080/f?a=b", "https://[::1]:8080/f?a=…"),
        ("http+unix://%2Frun%2Fx.sock/f?a=b", "http+unix://%2Frun%2Fx.sock/f?a=…"),
        ("user:word@server.example/f", "(an address that cannot be read)"),
        ("//user:word@/f", "(an address that cannot be read)"),
        ("https://user:wo/rd@server.example/f", "(an address that cannot be read)"),
        ("https://server.example:port/f", "(an address that cannot be read)"),
        ("", ""), ("/f", "/f"), ("no address", "no%20address"), ("http://", "http://"),
    ])
    func `an address is shown without user info, values and fragment`(url: String, shown: String) {
        #expect(Redaction.address(url) == shown)
        #expect(Redaction.address(shown) == shown || shown == Redaction.unreadable)
    }

    @Test(arguments: [
        "Authorization", "AUTHORIZATION", "authorization", "Proxy-Authorization", "Cookie", "Set-Cookie",
        "X-Amz-Security-Token", "X-Goog-Signature", "X-Goog-Encryption-Key", "X-Goog-Api-Key", "X-Auth-Token",
        "Ocp-Apim-Subscription-Key", "Private-Token", "Job-Token", "X-Api-Key", "apikey", "X-Vault-Token",
        "X-Functions-Key", "X-CSRF-Token", "X-Auth", "X-Hub-Signature-256", "Authentication-Info",
        "WWW-Authenticate", "X-Amz-Server-Side-Encryption-Customer-Key", "X-Session-Id", "X-User-Password",
        "X-Client-Secret", "X-Sas", "X-OTP",
    ])
    func `a field that carries a credential is cut`(name: String) throws {
        let name = try #require(HTTPField.Name(name))
        let shown = Redaction.fields([name: "geheim"])
        #expect(shown[name] == "…")
        #expect(shown.first?.name.rawName == name.rawName)
    }

    @Test(arguments: [
        ("Content-Type", "multipart/form-data; boundary=ferry-0123456789"), ("Idempotency-Key", "film-7"),
        ("Upload-Offset", "1024"), ("Tus-Resumable", "1.0.0"), ("Content-Length", "12"), ("ETag", "\"abc\""),
        ("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD"), ("Accept", "application/json;q=0.8, */*"),
        ("Content-Range", "bytes 0-9/10"), ("Content-Disposition", "attachment; filename=\"May.mov\""),
        ("User-Agent", "ferry/1 (+https://ferry.example/)"), ("Keep-Alive", "timeout=5"),
        ("If-Match", "\"abc\""), ("X-Monkey", "bananas"),
    ])
    func `a field that carries none is shown`(name: String, value: String) throws {
        let name = try #require(HTTPField.Name(name))
        #expect(Redaction.fields([name: value])[name] == value)
    }

    @Test(arguments: [
        ("X-Forwarded", "Bearer geheim12"), ("X-Any", "Basic dXNlcjpnZWhlaW0="),
        ("X-Any", "AWS4-HMAC-SHA256 Credential=geheim/2026, Signature=geheim"),
        ("Referer", "https://geheim:geheim@h/f?a=geheim"), ("Location", "/f?sig=geheim"),
        ("Link", "<https://h/f?a=geheim>; rel=\"next\""), ("X-Note", "token=geheim"),
    ])
    func `a value that is a credential or holds one is cut whatever its name`(name: String, value: String)
        throws
    {
        let name = try #require(HTTPField.Name(name))
        let shown = try #require(Redaction.fields([name: value])[name])
        #expect(!shown.contains("geheim") && !shown.contains("dXNlcj"))
    }

    @Test(arguments: [
        (
            "no connection to https://a:geheim@h:80/f?x=geheim, refused",
            "no connection to https://h:80/f?x=…, refused"
        ),
        ("see <https://h/f?x=geheim>.", "see <https://h/f?x=…>."),
        ("redirects to /f?sig=geheim", "redirects to /f?sig=…"),
        ("sent Authorization: Bearer geheim1", "sent Authorization: Bearer …"),
        ("{\"access_token\":\"geheim\",\"expires_in\":60}", "{\"access_token\":\"…\",\"expires_in\":60}"),
        ("X-Api-Key: geheim1 is unknown", "X-Api-Key: … is unknown"),
        ("two\nlines\u{1B}[2J\u{2028}three", "two lines [2J three"),
    ])
    func `a text loses what looks like a secret, and its line ends`(text: String, shown: String) {
        #expect(Redaction.text(text) == shown)
    }

    @Test(arguments: [
        "the server answered 503 (Service Unavailable)", "/films/May.mov: no such file",
        "the credential: the keyring is locked", "basic authentication failed", "is it 3/4? yes",
        "part 2 of the form, \"film\": its content holds the form's boundary",
        "the answer has the content type text/html; accepted are application/json, text/*",
    ])
    func `a text without a secret stays as it is`(text: String) {
        #expect(Redaction.text(text) == text)
    }

    private func secrets(_ url: String, _ fields: HTTPFields = [:]) -> Secrets {
        var secrets = Secrets()
        secrets.add(TransportRequest(method: .put, url: url, fields: fields))
        return secrets
    }

    @Test func `the request's secrets are cut from the server's text`() {
        let secrets = secrets(
            "https://anna:p%40ssword@h/f?sig=s%2Fig1&type=film",
            [.authorization: "Basic aGFuczpnZWhlaW0=", .cookie: "id=cookie-value; b=c"])
        let said = "anna p@ssword p%40ssword s/ig1 s%2Fig1 aGFuczpnZWhlaW0= hans geheim cookie-value film"
        #expect(secrets.cut(from: said) == "… … … … … … … … … film")
    }

    @Test func `secrets of the configuration stay known, however many requests follow`() {
        let pair = Data("me:proxy-3d4c".utf8).base64EncodedString()
        var secrets = Secrets()
        secrets.add(
            configuredURL: "https://h/{name}?token=query-1f2e", fields: [.proxyAuthorization: "Basic \(pair)"]
        )
        for number in 1...40 {
            let fields: HTTPFields = [.authorization: "Bearer old-\(number)-token"]
            secrets.add(TransportRequest(method: .patch, url: "https://h/7", fields: fields))
        }
        let said = "query-1f2e proxy-3d4c old-1-token old-40-token"
        #expect(secrets.cut(from: said) == "… … old-1-token …")
    }

    @Test func `the secrets of 32 requests are known, and those of a further one displace the first`() {
        var secrets = Secrets()
        func add(_ number: Int) {
            let fields: HTTPFields = [.authorization: "Bearer \(100 + number)-geheim"]
            secrets.add(TransportRequest(method: .put, url: "https://h/", fields: fields))
        }
        for number in 1...32 { add(number) }
        #expect(secrets.cut(from: "101-geheim 132-geheim") == "… …")
        add(33)
        #expect(secrets.cut(from: "101-geheim 102-geheim 133-geheim") == "101-geheim … …")
    }

    @Test(arguments: [
        "token+of/ours=", "to%2Bken%2fours", "pass word", #"a"b\c/d"#, "x<y>&z-1234",
    ])
    func `a secret is cut in each form in which servers write it`(secret: String) throws {
        let secrets = secrets("https://h/", [.authorization: "Bearer \(secret)"])
        let unreserved = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
        let encoded = try #require(secret.addingPercentEncoding(withAllowedCharacters: unreserved))
        let json = String(decoding: try JSONEncoder().encode([secret]), as: UTF8.self).dropFirst(2).dropLast(
            2)
        for form in [secret, encoded, Data(secret.utf8).base64EncodedString(), String(json)] {
            #expect(secrets.cut(from: "invalid <\(form)>") == "invalid <…>")
        }
    }

    private static let token = "sK+live/9aZ+77QxCANARYq0+pp=="
    private static let pairs = token.utf8.map { String($0, radix: 16) }
    private static let digits = pairs.joined()
    private static let escapedTokens: [String] = [
        "sK&#43;live/9aZ&#43;77QxCANARYq0&#43;pp==",
        "sK&#x2B;live&#x2f;9aZ&#X2b;77QxCANARYq0&#0043;pp&#61;&#61;",
        "sK&plus;live&sol;9aZ&plus;77QxCANARYq0&PLUS;pp&equals;&equals;",
        "sK\\u002Blive\\/9aZ\\u002b77QxCANARYq0\\u002Bpp\\u003D\\u003d",
        "sK\\x2blive/9aZ\\x2B77QxCANARYq0+pp==", "sK%2blive%2F9aZ+77QxCANARYq0%2Bpp==",
        "sK\\u0026#43;live/9aZ\\u0026#43;77QxCANARYq0\\u0026#43;pp==",
        "sK&amp;amp;#43;live/9aZ&amp;amp;#43;77QxCANARYq0+pp==", digits, digits.uppercased(),
        "sK\\053live/9aZ\\05377QxCANARYq0\\053pp\\075=", "sK\\u{2B}live/9aZ\\u{002b}77QxCANARYq0\\u{2b}pp==",
        token.lowercased(), token.uppercased(), "sk%2blive%2f9az%2b77qxcanaryq0%2bpp%3d%3d",
        pairs.joined(separator: " "), pairs.joined(separator: ":").uppercased(),
        pairs.joined(separator: " 0x"), pairs.joined(separator: ", 0x"), pairs.joined(separator: ",0x"),
        pairs.joined(separator: "-").uppercased(), pairs.joined(separator: ", "),
    ]

    @Test(arguments: escapedTokens)
    func `a secret with characters that the server escaped is cut, also if the server shortened it`(
        form: String
    ) {
        let secrets = secrets("https://h/", [.authorization: "Bearer \(Self.token)"])
        #expect(secrets.cut(from: "invalid <\(form)>") == "invalid <…>")
        #expect(secrets.cut(from: "\u{301}\(form)\u{301}") == "\u{301}…\u{301}")
        #expect(secrets.cut(from: "%4\(form)%80 twice \(form)").hasSuffix("…%80 twice …"))
        #expect(!secrets.cut(from: "invalid \(form.prefix(32))").contains("77Qx"))
        let known = KnownSecrets(secrets)
        #expect(known.cut(fromAddress: "/box/a?again=\(form)&b=c") == "/box/a?again=…&b=c")
    }

    @Test(arguments: [
        ("k?>~Zk93jf82KdmQ7", "az8-flprOTNqZjgyS2RtUTc="), ("my  long  secret", "my long secret"),
        ("Ab<cd>efGhIjKl", "Ab efGhIjKl"), ("Ab<b>cd</b>efGhI", "AbcdefGhI"),
        ("Ab&amp;cdefGhIj", "Ab&cdefGhIj"),
    ])
    func `a secret is cut in the form that it has in a message`(secret: String, shown: String) {
        let pair = Data("u:\(secret)".utf8).base64EncodedString()
        let secrets = secrets("https://h/", [.authorization: "Basic \(pair)"])
        #expect(!secrets.cut(from: "wrong: \(shown) there").contains(shown.prefix(8)))
    }

    @Test func `a short rest of a secret with a tag is not cut`() {
        let pair = Data("u:p<Jx9kQ2mZ7wE4".utf8).base64EncodedString()
        let secrets = secrets("https://h/", [.authorization: "Basic \(pair)"])
        #expect(secrets.cut(from: "a plain reply") == "a plain reply")
        #expect(secrets.cut(from: "wrong p<Jx9kQ2mZ7wE4") == "wrong …")
    }

    @Test func `a cookie without a name is a secret`() {
        let secrets = secrets("https://h/", [.cookie: "Ck93jf82KdmQ7abcd; a=b"])
        #expect(secrets.cut(from: "no Ck93jf82KdmQ7abcd") == "no …")
    }

    @Test func `a short secret is cut only with its letters in the same case`() {
        let secrets = secrets("https://h/", [.authorization: "Bearer Geheim-1234"])
        #expect(secrets.cut(from: "geheim-1234 Geheim-1234") == "geheim-1234 …")
    }

    @Test(arguments: [
        ("a&b%41-1234-5678-9abc", "a&amp;b%41-1234-5678-9abc"),
        ("k%41&lt;\\u0041-1234-56", "k%41&lt;\\\\u0041-1234-56"),
        ("x+y&amp;z-12345678", "x%2By&amp;z-12345678"),
    ])
    func `a secret that holds escapes itself is cut where the server escaped the rest`(
        secret: String, said: String
    ) {
        let secrets = secrets("https://h/", [.authorization: "Bearer \(secret)"])
        #expect(secrets.cut(from: "invalid <\(said)>") == "invalid <…>")
    }

    @Test(arguments: ["PÄSSE-WÖRTER-12-STRASSE", "pässe-wörter-12-straße", "P\\u00C4SSE-WÖRTER-12-STRASSE"])
    func `a secret with letters outside of ASCII is cut in upper and in lower case`(said: String) {
        let secrets = secrets("https://h/", [.authorization: "Bearer Pässe-Wörter-12-Straße"])
        #expect(secrets.cut(from: "ÄÖ <\(said)> Ü") == "ÄÖ <…> Ü")
    }

    @Test func `items of a query between semicolons are secrets`() {
        let secrets = secrets("https://h/f?a=1;sig=geh%2Beim-1;b=2&c=3")
        #expect(secrets.cut(from: "no geh+eim-1 and no geh%2Beim-1 in b=2") == "no … and no … in b=2")
    }

    @Test func `a secret with characters outside of ASCII is cut where the server escaped them`() {
        let secrets = secrets("https://h/", [.authorization: "Bearer pässe-😀-wörter-12"])
        for form in ["p\\u00e4sse-\\uD83D\\ude00-w\\u00F6rter-12", "p&#228;sse-&#x1F600;-w&#246;rter-12"] {
            #expect(secrets.cut(from: "invalid <\(form)>") == "invalid <…>")
        }
    }

    @Test(arguments: [
        "no \\ & % %4 &#; &#x; &#xD800; &; &none; \\u12 \\ud83d \\x1",
        "\\u{} \\u{110000} \\u{0000002B} \\05 \\088",
        "a &amp; b &lt;c&gt; 100 % 5%2F \\u0041",
    ])
    func `a text with escapes and without a secret stays as it is`(text: String) {
        let secrets = secrets("https://h/", [.authorization: "Bearer \(Self.token)"])
        #expect(secrets.cut(from: text) == text)
        #expect(secrets.cut(from: "\(text) \(Self.token)") == "\(text) …")
    }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "&", "&#", "&#43;", "&amp;", "&#x2b;&", "\\", "\\u", "\\u002", "\\u002b", "%", "%2", "%25",
            "sK&#43;live", "sK%2", "\\u{", "\\u{2b}", "\\05", "\\053", "73 ", "SK+L", "sK+l…",
        ])
    func `the time to find escaped secrets in a text grows with its length alone`(piece: String) {
        let secrets = secrets("https://h/", [.authorization: "Bearer \(Self.token)"])
        let text = String(repeating: piece, count: (64 << 10) / piece.utf8.count)
        #expect(!secrets.cut(from: "\(text) \(Self.token)").contains("CANARY"))
    }

    @Test func `the names of parameters and of users stay in what the server says`() {
        let secrets = secrets(
            "https://h/f?name=my-film-of-last-summer.mov",
            [
                .authorization:
                    "AWS4-HMAC-SHA256 Credential=AKID/20260101/x/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=0123456789abcdef",
                .cookie: "session=0123456789",
            ])
        let said = "SignatureDoesNotMatch: host;x-amz-content-sha256 my-film-of-last-summer.mov"
        #expect(secrets.cut(from: said, atLeast: .secret) == said)
        #expect(secrets.cut(from: "0123456789abcdef session 0123456789") == "… session …")
        let signIn = self.secrets("https://h/", [.authorization: "Basic aGFuczpnZWhlaW0="])
        #expect(signIn.cut(from: "hans: geheim", atLeast: .longValue) == "hans: …")
    }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "a", "a.", "a:", "a: ", "/", "/a?", "a=&", "\"a\"  ", "%2f%2f", "bearer ", "://a ", "a+://",
            "Token ", "@//", "//@",
        ])
    func `the time to cut secrets from a text grows with its length alone`(piece: String) {
        let text = String(repeating: piece, count: (32 << 10) / piece.utf8.count)
        for end in [" ?=://", "@%40", " token=geheim1"] {
            #expect(!Redaction.text(text + end).contains("geheim"))
            #expect(!Redaction.address("https://h/" + text.prefix(8192) + end).contains("geheim"))
        }
    }

    @Test(arguments: ["\u{600}", "\u{301}", "\u{200D}"], ["geheim-1234", "gehéim-1234"])
    func `a secret is cut where a scalar before or after it joins its characters`(
        scalar: String, secret: String
    ) {
        let secrets = secrets("https://h/", [.authorization: "Bearer \(secret)"])
        for text in [secret, "token=\(secret)"] {
            let said = scalar + text + scalar
            #expect(!ByteSearch.finds(Array("eheim".utf8), in: secrets.cut(from: said)))
            #expect(!ByteSearch.finds(Array("1234".utf8), in: secrets.cut(from: said)))
        }
        #expect(!ByteSearch.finds(Array("1234".utf8), in: Redaction.text("\(scalar)token=\(scalar)x-1234")))
        #expect(!ByteSearch.finds(Array("1234".utf8), in: Redaction.text("\(scalar)https://u:x-1234@h/")))
        #expect(!ByteSearch.finds(Array("1234".utf8), in: Redaction.text("\(scalar)Bearer x-1234")))
    }

    @Test func `a long secret that the server cut short is cut whole, however long`() {
        let token = String((0..<5000).flatMap { "\($0)x" })
        let secrets = secrets("https://h/", [.authorization: "Bearer \(token)"])
        #expect(secrets.cut(from: "invalid \(token.prefix(150))") == "invalid …")
        #expect(secrets.cut(from: "invalid \(token) twice \(token)") == "invalid … twice …")
    }

    @Test func `the beginning of a secret is cut where a long text of the server ends in it`() {
        let secrets = secrets("https://h/", [.authorization: "Bearer \(Self.token)"])
        for form in [Self.token, Self.digits, "sK%2Blive%2F9aZ%2B77QxCANARY"] {
            for length in 4...20 {
                let text = String(repeating: "w", count: 198 - length) + " " + form + " and more"
                let said = secrets.cut(from: "413: \(ServerText.cleaned(text)); the file has 3 MB")
                #expect(said.hasSuffix("w ……; the file has 3 MB"))
            }
        }
        #expect(secrets.cut(from: "the word &quot;sK+li…&quot;") == "the word &quot;……&quot;")
        #expect(secrets.cut(from: "the word sK+ … and sK+l") == "the word sK+ … and sK+l")
    }

    @Test func `a context that is printed shows no secret`() {
        var context = RequestContext()
        context.secrets = secrets("https://anna:geheim@h/", [.authorization: "Bearer geheim"])
        var dumped = ""
        dump(context, to: &dumped)
        #expect(!"\(context) \(dumped)".contains("geheim"))
    }
}
