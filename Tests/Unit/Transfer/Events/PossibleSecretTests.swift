import HTTPTypes
import Testing

@testable import FerryTransfer

struct PossibleSecretTests {
    private static let secrets = Secrets(possible: ["grant-9d8c7b6a5f4e"])

    @Test(arguments: [
        ("no grant-9d8c7b6a5f4e here", "no … here"),
        ("a grant-9d8c7b of another", "a grant-9d8c7b of another"),
    ])
    func `a value that may be a secret is cut from texts, but only as a whole`(text: String, expected: String)
    {
        #expect(Self.secrets.cut(from: text, atLeast: .longValue) == expected)
    }

    @Test func `a value that may be a secret stays in addresses`() {
        let address = "http://files.example/grant-9d8c7b6a5f4e"
        #expect(Self.secrets.cut(from: address, atLeast: .secret) == address)
    }

    @Test func `the password behind a request with Digest is cut, and the header field does not contain it`()
    {
        var request = TransportRequest(
            method: .put, url: "http://files.example/a",
            fields: [.authorization: #"Digest username="u", response="0123""#], body: .none)
        var secrets = Secrets()
        secrets.add(request)
        #expect(secrets.cut(from: "open sesame is wrong") == "open sesame is wrong")
        request.hiddenSecrets = ["open sesame"]
        secrets.add(request)
        #expect(secrets.cut(from: "open sesame is wrong") == "… is wrong")
    }
}
