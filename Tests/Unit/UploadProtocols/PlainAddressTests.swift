import Testing

@testable import FerryProtocols

/// Tests URLs that are used without being parsed.
struct PlainAddressTests {
    @Test(arguments: [
        ("http://host/", "http://host"), ("https://a.example/b/c-1_2.bin", "https://a.example"),
        ("http://127.0.0.1:8080/f", "http://127.0.0.1:8080"), ("http://host:65535//", "http://host:65535"),
    ])
    func `an address of plain characters is known by its server`(url: String, authority: String) {
        #expect(UploadAddress.plainAuthority(of: url).map(String.init) == authority)
        #expect(UploadAddress.expectation(brokenBy: url) == nil)
    }

    @Test(arguments: [
        "", "http://", "http:///f", "http://host", "http://host:/f", "http://host:0/f", "http://host:080/f",
        "http://host:65536/f", "http://host:1:2/f", "http://host:8o/f", "http://user@host/f",
        "http://user:word@host/f", "http://host/f?key=1", "http://host/f#part", "http://host/a=b",
        "http://host/a%3Db", "http://host/a b", "http://host/a;b", "http://host/…", "http://[::1]/f",
        "HTTP://host/f", "ftp://host/f", "http+unix://%2Frun/", "http://host/a\r\nb",
        "http://\(String(repeating: "h", count: 254))/",
    ])
    func `anything else is taken apart`(url: String) {
        #expect(UploadAddress.plainAuthority(of: url) == nil)
    }
}
