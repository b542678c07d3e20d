import Testing

@testable import FerryProtocols

struct S3AddressTests {
    private func address(_ url: String, inPath: Bool? = nil) throws -> S3Address {
        try S3Address(url, options: .init(bucketInPath: inPath))
    }

    @Test(arguments: [
        ("http://127.0.0.1:9000/bucket/", "http://127.0.0.1:9000/bucket/a.bin"),
        ("https://minio.example/bucket/in/", "https://minio.example/bucket/in/a.bin"),
        ("https://minio.example/bucket/{name}.part", "https://minio.example/bucket/a.bin.part"),
        ("https://minio.example/bucket/fixed", "https://minio.example/bucket/fixed"),
        ("https://b.s3.amazonaws.com/", "https://b.s3.amazonaws.com/a.bin"),
        ("https://b.c.s3.eu-west-1.amazonaws.com/x/", "https://b.c.s3.eu-west-1.amazonaws.com/x/a.bin"),
        ("https://s3.eu-west-1.amazonaws.com/b/x/", "https://s3.eu-west-1.amazonaws.com/b/x/a.bin"),
        ("https://h.example/b/?key=value", "https://h.example/b/a.bin"),
    ])
    func `an object is where the destination's address says`(url: String, expected: String) throws {
        let address = try address(url)
        #expect(address.object(try address.key(for: "a.bin")) == expected)
    }

    @Test func `keys are encoded once and every byte but unreserved ones and slashes`() throws {
        let address = try address("http://h/b/pre%20fix+%7E!/")
        let key = try address.key(for: "f/ö &=+%41~.bin")
        #expect(key == "pre fix+~!/f/ö &=+%41~.bin")
        #expect(address.object(key) == "http://h/b/pre%20fix%2B~%21/f/%C3%B6%20%26%3D%2B%2541~.bin")
    }

    @Test func `a host that names no bucket is refused where it should`() {
        #expect(throws: UploadFailure.self) { try address("https:///x/", inPath: false) }
    }

    @Test func `the bucket is found in the host's name or the path`() throws {
        #expect(try address("https://b.c.s3.amazonaws.com/").bucket == "b.c")
        #expect(try address("https://s3.dualstack.us-west-2.amazonaws.com/b/").bucket == "b")
        #expect(try address("https://b.endpoint.example/", inPath: false).bucket == "b")
        #expect(try address("https://b.s3.amazonaws.com/p/", inPath: true).bucket == "p")
        #expect(try address("https://h/b/p/").bucketAddress == "https://h/b")
        #expect(try address("https://b.s3.amazonaws.com/p/").bucketAddress == "https://b.s3.amazonaws.com")
        #expect(try address("https://h/b/p/{name}.x").prefix == "p/")
        #expect(try address("https://h/b/").prefix == "")
    }

    @Test(arguments: ["https://h", "https://h/", "https://h//", "https://h/{name}", "nonsense"])
    func `an address without a bucket is refused with a sentence`(url: String) {
        let failure = #expect(throws: UploadFailure.self) { try address(url) }
        #expect(failure?.category == .permanent)
        #expect(failure?.summary.contains("names no bucket") == true)
    }

    @Test(arguments: ["https://h/bucket", "https://b.s3.amazonaws.com"])
    func `an address that leaves no key is refused`(url: String) throws {
        let address = try address(url)
        #expect(throws: UploadFailure.self) { try address.key(for: "a") }
        let upload = S3Upload(item: .make(url: url), options: .init())
        var started = upload
        #expect(started.start(resource: nil, capabilities: nil).failure?.category == .permanent)
    }
}
