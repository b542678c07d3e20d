import FerryProtocols
import Testing

@testable import FerryUploads

struct KeptQueryTests {
    private let query = KeptQuery(of: "https://h/box/{name}?v=1&sig=a%2Fb&file={name}")

    @Test(arguments: [
        ("https://h/box/a?v=1&sig=a%2Fb", "https://h/box/a"),
        ("https://h/box/a?v=1&sig=a%2Fb&file=a", "https://h/box/a?file=a"),
        ("https://h/box/a?v=1&sig=a%2Fb&uploadId=7#x", "https://h/box/a?uploadId=7#x"),
    ])
    func `a written address has its query again when it is read`(url: String, short: String) {
        let resource = UploadResource(url: url, confirmed: 7, memory: ["told": url, "tag": "x?v=1"])
        let written = query.removed(from: resource)
        #expect(written.url == short)
        #expect(written.memory["told"] == short)
        #expect(written.memory["tag"] == "x?v=1")
        #expect(written.confirmed == 7)
        #expect(query.restored(written) == resource)
    }

    @Test(arguments: [
        ("https://h/?sig=a;v=1", "https://h/a?sig=a;v=1", "https://h/a"),
        ("https://h/?v=1;sig=a;file={name}", "https://h/a?v=1;sig=a;file=a", "https://h/a?file=a"),
        ("https://h/?sig=a;b&v=1", "https://h/a?sig=a;b&v=1&id=7", "https://h/a?id=7"),
    ])
    func `items between semicolons are kept out of a written address`(
        destination: String, url: String, short: String
    ) {
        let query = KeptQuery(of: destination)
        let written = query.removed(from: UploadResource(url: url))
        #expect(written.url == short)
        #expect(query.restored(written).url.replacing("&file", with: ";file") == url)
    }

    @Test(arguments: ["https://h/box/a", "https://h/box/a?uploadId=7", "https://h/?sig=other", "", "#?v=1"])
    func `an address without the query stays as it is`(url: String) {
        let resource = UploadResource(url: url)
        #expect(query.removed(from: resource) == resource)
        #expect(query.restored(resource) == resource)
    }

    @Test(arguments: ["https://h/box/a?v=1&sig=a/b", "https://h/box/a?%76=1&sig=%61%2fb"])
    func `a query that the server encoded in its own way is kept out too`(url: String) {
        let written = query.removed(from: UploadResource(url: url))
        #expect(written.url == "https://h/box/a")
        #expect(query.restored(written).url == "https://h/box/a?v=1&sig=a%2Fb")
    }

    @Test func `a new signature replaces the one before`() {
        let written = KeptQuery(of: "https://h/?sig=old").removed(
            from: UploadResource(url: "https://h/a?sig=old"))
        #expect(KeptQuery(of: "https://h/?sig=new").restored(written).url == "https://h/a?sig=new")
        #expect(KeptQuery(of: "https://h/").restored(written).url == "https://h/a")
    }
}
