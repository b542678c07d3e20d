import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

/// Passes responses to a check, and returns its last step and its requests.
private func run(_ check: any DestinationCheck, _ answers: [ExchangeOutcome]) -> (
    end: CheckStep, asked: [Exchange]
) {
    var check = check
    var step = check.start()
    var asked: [Exchange] = []
    for answer in answers {
        guard case .send(let exchange) = step else { break }
        asked.append(exchange)
        step = check.receive(answer)
    }
    return (step, asked)
}

extension CheckStep {
    fileprivate var report: CheckReport? { if case .finished(let report) = self { report } else { nil } }
    fileprivate var failure: UploadFailure? { if case .failed(let failure) = self { failure } else { nil } }
}

private func properties(_ path: String, _ inner: String) -> String {
    """
    <?xml version="1.0" encoding="utf-8"?><multistatus xmlns="DAV:"><response><href>\(path)</href><propstat><prop>\
    \(inner)</prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>
    """
}

struct WebDAVCheckTests {
    private let check = WebDAVCheck(url: "http://server.example/files/", options: .init())
    private let folder = properties(
        "/files/",
        "<resourcetype><collection/></resourcetype><quota-available-bytes>1073741824</quota-available-bytes>")

    @Test func `a server's classes, its folder and its quota are reported`() throws {
        let (end, asked) = run(
            check, [.answer(200, [.dav: "1, 2, <http://x/y>"]), .answer(207, body: folder), .answer(403)])
        let findings = try #require(end.report).findings
        #expect(findings.contains("the server speaks WebDAV, classes 1, 2"))
        #expect(findings.contains("the folder is there"))
        #expect(findings.contains("1 GiB are free there"))
        #expect(findings.contains("an interrupted upload begins again"))
        #expect(asked.map(\.method.rawValue) == ["OPTIONS", "PROPFIND", "PROPFIND"])
        #expect(asked.allSatisfy { $0.url == "http://server.example/files/" })
    }

    @Test func `a server that resumes is reported`() throws {
        let (end, _) = run(
            check,
            [
                .answer(200, [.dav: "1, sabredav-partialupdate"]), .answer(207, body: folder),
                .answer(207, body: folder),
            ])
        let report = try #require(end.report)
        #expect(report.findings.contains { $0.contains("resumes where it was") })
        #expect(report.capabilities?.facts["ranges"] == "patch")
    }

    @Test func `files under temporary names are found, and nothing else`() throws {
        let file =
            "<resourcetype/><getcontentlength>7</getcontentlength>"
            + "<getlastmodified>Fri, 15 Jan 2027 08:00:00 GMT</getlastmodified>"
        let names = [
            "/files/.a%20b.mov.part-ferry-3-1800000000000-77", "/files/._htaccess.part-ferry-4-1-2-1",
            "/files/.a.mov.part-other-3-1-2", "/files/a.part-ferry-3-1-2", "/files/a.mov",
        ]
        let responses = names.map {
            "<response><href>\($0)</href><propstat><prop>\(file)</prop><status>HTTP/1.1 200 OK</status></propstat></response>"
        }
        let body = #"<multistatus xmlns="DAV:">"# + responses.joined() + "</multistatus>"
        let (end, asked) = run(
            check, [.answer(200, [.dav: "1"]), .answer(207, body: folder), .answer(207, body: body)])
        let found = try #require(end.report).leftovers
        #expect(asked.last?.fields[.depth] == "1")
        #expect(found.map(\.name) == ["a b.mov", "htaccess"])
        #expect(found.map(\.size) == [7, 7])
        #expect(found.first?.changed == Date(timeIntervalSince1970: 1_800_000_000))
        #expect(
            found.first?.resource.url
                == "http://server.example/files/.a%20b.mov.part-ferry-3-1800000000000-77")
    }

    @Test func `a server without MOVE is reported`() throws {
        let (end, _) = run(check, [.answer(200, [.allow: "GET, PUT"]), .answer(405)])
        let findings = try #require(end.report).findings
        #expect(findings.last == "that it takes files was not tried")
        #expect(findings.contains { $0.contains("MOVE") && $0.contains("put") })
    }

    @Test func `a folder that is missing is no failure`() throws {
        let (end, _) = run(check, [.answer(200, [.dav: "1"]), .answer(404)])
        #expect(try #require(end.report).findings.contains { $0.contains("is made with the first file") })
    }

    @Test(arguments: [401, 403])
    func `refused credentials end the check`(status: Int) {
        #expect(run(check, [.answer(200, [.dav: "1"]), .answer(status)]).end.failure?.status == status)
    }
}

struct NextcloudCheckTests {
    private static let uploads = "/remote.php/dav/uploads/ann/"
    private let check = NextcloudCheck(
        url: "http://cloud.example/remote.php/dav/files/ann/in/", options: .init())

    @Test func `unfinished uploads are found, and can be removed`() throws {
        let folder = "<resourcetype><collection/></resourcetype>"
        let list = """
            <d:multistatus xmlns:d="DAV:" xmlns="DAV:"><d:response><d:href>\(Self.uploads)</d:href><d:propstat><d:prop>\
            \(folder)</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response><d:response>\
            <d:href>\(Self.uploads)ferry-7/</d:href><d:propstat><d:prop>\(folder)</d:prop>\
            <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>
            """
        let here = properties("/remote.php/dav/files/ann/in/", folder)
        let chunks = ["00001", "00002", ".file"].map {
            "<d:response><d:href>\(Self.uploads)ferry-7/\($0)</d:href><d:propstat><d:prop><d:getcontentlength>5"
                + "</d:getcontentlength></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
        }.joined()
        let (end, asked) = run(
            check,
            [
                .answer(207, body: here), .answer(207, body: list),
                .answer(207, body: #"<d:multistatus xmlns:d="DAV:">"# + chunks + "</d:multistatus>"),
            ])
        #expect(asked.last?.url == "http://cloud.example\(Self.uploads)ferry-7/")
        let report = try #require(end.report)
        #expect(report.leftovers.map(\.size) == [10])
        #expect(report.findings.contains { $0.contains("resumes") })
        #expect(report.leftovers.map(\.name) == ["ferry-7"])
        let resource = try #require(report.leftovers.first).resource
        let removal = NextcloudUpload(item: .make(url: "http://cloud.example/x/"), options: .init())
            .removal(of: resource)
        #expect(removal.map(\.url) == ["http://cloud.example\(Self.uploads)ferry-7/"])
    }

    @Test func `an address of something else is refused before anything is asked`() {
        var check = NextcloudCheck(url: "http://cloud.example/dav/", options: .init())
        guard case .failed(let failure) = check.start() else {
            Issue.record("it asked")
            return
        }
        #expect(failure.hint?.contains("files/USER") == true)
    }
}

struct PutCheckTests {
    private let check = PutCheck(url: "http://server.example/files/", options: .init())

    @Test(arguments: [
        ("GET, PUT", "the server takes PUT"),
        ("", "the server does not say which methods it takes; that it takes PUT was not tried"),
    ])
    func `the methods that a server names are compared`(allow: String, finding: String) throws {
        let (end, asked) = run(check, [.answer(200, [.allow: allow]), .answer(404)])
        #expect(try #require(end.report).findings.first == finding)
        #expect(asked.map(\.method) == [.options, .head])
    }

    @Test(arguments: [200, 405])
    func `a server that lists its methods without PUT fails`(status: Int) {
        let (end, asked) = run(check, [.answer(status, [.allow: "GET, POST"])])
        #expect(
            end.failure?.summary == "PUT is not among the methods that the server names: GET, POST")
        #expect(asked.map(\.method) == [.options])
    }

    @Test func `a list in the response to HEAD counts too, unless OPTIONS named PUT`() {
        let list = ExchangeOutcome.answer(405, [.allow: "GET, POST"])
        #expect(run(check, [.answer(405), list]).end.failure?.summary.contains("not among") == true)
        #expect(run(check, [.answer(404), list]).end.failure?.summary.contains("not among") == true)
        #expect(run(check, [.answer(200, [.allow: "PUT"]), list]).end.failure == nil)
    }

    /// nginx responds like this with `limit_except PUT { deny all; }`.
    @Test(arguments: [(403, 403), (405, 405), (403, 404), (404, 403), (501, 501), (200, 403)])
    func `refusals of OPTIONS and HEAD prove nothing`(first: Int, second: Int) {
        #expect(run(check, [.answer(first), .answer(second)]).end.report != nil)
    }

    @Test func `a 405 that lists PUT is no refusal`() {
        let list = ExchangeOutcome.answer(405, [.allow: "PUT"])
        #expect(run(check, [list, list]).end.report?.findings.first == "the server takes PUT")
    }

    @Test func `an address that is signed for one request is not judged by other requests`() {
        let signed = PutCheck(
            url: "https://bucket.s3.amazonaws.com/a?X-Amz-Signature=5", options: .init())
        #expect(run(signed, [.answer(403), .answer(403)]).end.report != nil)
    }

    @Test func `a server that speaks WebDAV has the better protocol named`() throws {
        let (end, _) = run(check, [.answer(200, [.allow: "PUT, MOVE", .dav: "1"]), .answer(404)])
        #expect(try #require(end.report).findings.contains { $0.contains("webdav") })
    }

    @Test(arguments: [(404, true), (200, true), (405, false)])
    func `the check reports whether the server lists what is there`(status: Int, tells: Bool) throws {
        let (end, _) = run(check, [.answer(200), .answer(status)])
        let last = try #require(end.report?.findings.last)
        #expect(last.hasPrefix("HEAD shows") == tells)
    }
}

struct WebDAVPropertiesTests {
    private let address = WebDAVAddress("http://h/a%20b/c.bin")

    private func one(_ body: String) -> WebDAVProperties? {
        WebDAVProperties.one(in: .init(status: 207, body: Array(body.utf8)), at: address)
    }

    @Test(arguments: ["D", "lp1", "ns0"])
    func `prefixes do not matter`(prefix: String) {
        let found = one(
            """
            <?xml version="1.0"?><\(prefix):multistatus xmlns:\(prefix)="DAV:"><\(prefix):response>\
            <\(prefix):href>http://h/a%20b/c.bin</\(prefix):href><\(prefix):propstat><\(prefix):prop>\
            <\(prefix):resourcetype/><\(prefix):getcontentlength>5</\(prefix):getcontentlength>\
            <\(prefix):getetag>"x"</\(prefix):getetag></\(prefix):prop>\
            <\(prefix):status>HTTP/1.1 200 OK</\(prefix):status></\(prefix):propstat></\(prefix):response>\
            </\(prefix):multistatus>
            """)
        #expect(found?.path == "/a b/c.bin")
        #expect(found?.file == FoundFile(size: 5, entityTag: "\"x\""))
        #expect(found?.isFolder == false)
    }

    @Test func `a property that the server does not know stays unknown`() {
        let body = properties("/a%20b/c.bin", "<getcontentlength>5</getcontentlength>")
        #expect(one(body.replacing("200 OK", with: "404 Not Found"))?.file.size == nil)
    }

    @Test(arguments: ["", "<x/>", "<multistatus/>", "<multistatus xmlns='DAV:'>", "{}"])
    func `anything else is no multistatus response`(body: String) {
        #expect(one(body) == nil)
    }

    @Test(arguments: ["99999999999999999999", "-", "1e3", "0x10"])
    func `a length that is no number is none`(length: String) {
        let body = properties("/a%20b/c.bin", "<getcontentlength>\(length)</getcontentlength>")
        #expect(one(body)?.file.size == nil)
    }

    @Test func `the resource that was asked for is taken from a response with several`() {
        let first = properties("/a%20b/", "<resourcetype><collection/></resourcetype>")
        let second = properties("/a%20b/c.bin", "<getcontentlength>5</getcontentlength>")
        let body =
            first.replacing("</multistatus>", with: "")
            + second.drop { $0 != "?" }.drop { $0 != ">" }.dropFirst().description
            .replacing("<multistatus xmlns=\"DAV:\">", with: "")
        #expect(one(body)?.file.size == 5)
    }
}

struct WebDAVAddressTests {
    @Test func `the temporary name is beside the file, hidden and quoted`() {
        let address = WebDAVAddress("http://h/a/b%20c%25.txt?k=v")
        #expect(address.temporary(key: "k-1").url == "http://h/a/.b%20c%25.txt.part-k-1?k=v")
        #expect(address.folders == ["http://h/a/?k=v"])
        #expect(address.destination == "http://h/a/b%20c%25.txt")
    }

    @Test func `Apache does not take the temporary name for one of its own files`() {
        #expect(WebDAVAddress("http://h/HTML.txt").temporary(key: "k").last == "._HTML.txt.part-k")
    }

    @Test(arguments: ["htaccess", "_htaccess", "__HTML.txt", "_x", "._ht", "a.mov"])
    func `a temporary name leads back to the name of the file`(name: String) {
        let temporary = WebDAVAddress("http://h/" + name).temporary(key: "ferry-1-2-3-4")
        #expect(!temporary.last.lowercased().hasPrefix(".ht"))
        #expect(WebDAVAddress.name(ofTemporary: temporary.last) == name)
    }

    @Test func `a name that is as long as names can be is cut`() throws {
        let name = String(repeating: "ä", count: 127)
        let temporary = WebDAVAddress("http://h/" + WebDAVAddress.quoted(name)).temporary(key: "key")
        let plain = try #require(temporary.last.removingPercentEncoding)
        #expect(plain.utf8.count <= 255)
        #expect(plain.hasSuffix(".part-key"))
    }

    @Test(arguments: ["", "x", "http://h", "http://h?x", "http://h/", "://", "/"])
    func `no address is too short`(url: String) {
        let address = WebDAVAddress(url)
        #expect(address.folders.isEmpty)
        #expect(address.asFolder.path.hasSuffix("/"))
    }

    @Test func `a server behind a Unix socket knows itself by another name`() {
        #expect(WebDAVAddress("http+unix://%2Frun%2Fd.sock/a/b").destination == "http://localhost/a/b")
    }
}
