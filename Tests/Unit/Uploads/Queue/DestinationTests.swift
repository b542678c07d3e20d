import FerryProtocols
import Testing

@testable import FerryUploads

struct DestinationTests {
    @Test func `a destination of a name in the catalog uploads by that protocol`() throws {
        let entry = try #require(ProtocolCatalog.entry(named: "webdav"))
        let destination = Destination(name: "box", url: "https://a.example/", protocol: entry)
        #expect(destination.target(name: "a").protocolName == "webdav")
        #expect(ProtocolCatalog.entry(named: "webdaw") == nil)
    }

    @Test func `the query of a configured address stays out of the queue`() {
        let destination = Destination(
            name: "box", url: "https://a.example/up?signature=CANARY", protocolName: "put")
        #expect(destination.target(name: "a").url == "https://a.example/up")
    }

    @Test func `the query comes back when the file is sent`() {
        #expect(
            UploadAddress.withQuery(of: "https://a.example/up?signature=1#x", "https://a.example/up")
                == "https://a.example/up?signature=1")
        // After `#` there is no query (RFC 3986 §3.5).
        #expect(
            UploadAddress.withQuery(of: "https://a.example/up#x?signature=1", "https://a.example/up")
                == "https://a.example/up")
    }
}
