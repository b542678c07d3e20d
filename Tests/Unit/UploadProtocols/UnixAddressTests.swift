import Foundation
import Testing

@testable import FerryProtocols

/// Tests URLs of servers on Unix sockets, and texts that are not URLs.
struct UnixAddressTests {
    private static let base = "http+unix://%2Frun%2FA.sock/files/"

    @Test(arguments: [
        ("/files/1", "http+unix://%2Frun%2FA.sock/files/1"),
        ("1?x=2", "http+unix://%2Frun%2FA.sock/files/1?x=2"),
        ("http+unix://%2frun%2FA.sock/other", "http+unix://%2frun%2FA.sock/other"),
        // tusd and other servers build the URL from the Host field of the request.
        ("http://localhost/files/1", "http+unix://%2Frun%2FA.sock/files/1"),
        ("https://LOCALHOST:443/files/a%2Fb", "http+unix://%2Frun%2FA.sock/files/a%2Fb"),
        ("//localhost/files/1", "http+unix://%2Frun%2FA.sock/files/1"),
    ])
    func `a location of the server itself stays behind the socket`(location: String, expected: String) throws
    {
        #expect(try UploadAddress.resolve(location, against: Self.base) == expected)
    }

    @Test(arguments: [
        "http+unix://%2Frun%2Fa.sock/files/1", "http://other.example/files/1",
        "http://localhost:8080/files/1",
        "http://127.0.0.1/files/1", "http://me@localhost/files/1",
    ])
    func `a location anywhere else is refused`(location: String) {
        #expect(throws: UploadFailure.self) { try UploadAddress.resolve(location, against: Self.base) }
    }

    @Test func `a server with a name of its own is not taken for one behind a socket`() {
        #expect(throws: UploadFailure.self) {
            try UploadAddress.resolve(Self.base, against: "http://localhost/files/")
        }
    }

    @Test(arguments: [
        "http+unix://%2Frun%2FA.sock", "http+unix://%2frun%2fA.sock/x", "HTTP+UNIX://%2Frun%2FA.sock/",
    ])
    func `one socket is one origin, however it is written`(url: String) {
        #expect(URL(string: url).flatMap(UploadAddress.origin) == "http+unix://%2Frun%2FA.sock")
    }

    @Test(arguments: [
        "http://h", "https://h:65535/x", "http://[::1]:80/", "http+unix://%2Fx", "HTTP://h/{name}",
    ])
    func `an address that leads somewhere breaks no rule`(url: String) {
        #expect(UploadAddress.expectation(brokenBy: url) == nil)
    }

    @Test(arguments: [
        ("ftp://h/", "http or https"), ("h", "http or https"), ("http:///x", "with a host"),
        ("http://", "with a host"),
        ("HTTPS://:80/", "with a host"),
        ("http://h:0/", "port"), ("http://h:65536/", "port"), ("http://[fe80::1%25eth0]/", "zone"),
        ("http+unix://run/", "absolute path"), ("http+unix://%2Fa:80/", "absolute path"),
        ("https+unix://%2Frun%2FA.sock/", "http or https"),
        ("http://a%0D%0AX/", "host's name"), ("http://a%20b/", "host's name"),
        ("http://\(String(repeating: "x", count: 254))/", "host's name"),
        ("http+unix://%2F\(String(repeating: "ä", count: 54))/", "107 bytes"),
    ])
    func `an invalid address is described by the rule that it breaks`(url: String, words: String) {
        #expect(UploadAddress.expectation(brokenBy: url)?.contains(words) == true)
    }
}
