import HTTPTypes
import Testing

@testable import FerryProtocols

private let place = "/files/a.bin"
private let temporary = "/files/.a.bin.part-key-1"
private let elsewhere = "/elsewhere/files/a.bin"

/// Tests servers behind a proxy that maps paths but not the field `Destination`: a `MOVE` succeeds, but moves the file
/// elsewhere.
struct WebDAVMoveTests {
    private var run = WebDAVRun(model: WebDAVModel())

    private func expectNamed(_ failure: UploadFailure?) {
        #expect(failure?.category == .permanent)
        #expect(failure?.hint?.contains("rewrite Destination") == true)
        #expect(!run.model.files.keys.contains { $0.hasPrefix(temporary) })
        #expect(run.resource == nil)
    }

    @Test(arguments: [true, false])
    mutating func `an old file of the same size is not taken for the new one`(hasTags: Bool) {
        run.model.tellsTags = hasTags
        run.model.time = "Fri, 15 Jan 2027 08:00:00 GMT"
        run.model.put(place, size: 10)
        let old = run.model.versions[place]
        run.model.time = "Fri, 15 Jan 2027 08:00:01 GMT"
        run.model.detour = "/elsewhere"
        let failure = run.upload().failure
        expectNamed(failure)
        #expect(run.model.versions[place] == old)
    }

    @Test(arguments: [nil, "Fri, 15 Jan 2027 08:00:00 GMT"])
    mutating func `the server is tried out before a file in an ambiguous version is touched`(
        time: String?
    ) {
        run.model.time = time
        run.model.put(place, size: 10)
        run.model.detour = "/elsewhere"
        let failure = run.upload().failure
        expectNamed(failure)
        #expect(run.model.files[elsewhere] == nil)
    }

    @Test mutating func `a server that moves rightly is tried out once`() {
        run.model.put(place, size: 10)
        let old = run.model.versions[place]
        #expect(run.upload().receipt != nil)
        #expect(run.model.files == [place: 10])
        #expect(run.model.versions[place] != old)
        #expect(run.model.log.filter { $0.hasPrefix("MOVE") }.count == 2)
        #expect(run.upload().receipt != nil)
        #expect(run.model.log.filter { $0.hasPrefix("MOVE") }.count == 3)
    }

    @Test mutating func `a lost response to the trial costs no second transfer`() {
        run.model.put(place, size: 10)
        _ = run.upload(lose: { $0.method == .move })
        #expect(run.upload().receipt != nil)
        #expect(run.model.files == [place: 10])
        #expect(run.model.log.filter { $0.hasPrefix("PUT") }.count == 1)
    }

    @Test mutating func `a file that is nowhere to be found afterwards is named`() {
        run.model.detour = "/elsewhere"
        let failure = run.upload().failure
        expectNamed(failure)
    }

    @Test mutating func `an old file of another size is no reason to wait`() {
        run.model.put(place, size: 7)
        run.model.detour = "/elsewhere"
        let failure = run.upload().failure
        expectNamed(failure)
        #expect(run.model.files[place] == 7)
    }

    @Test(arguments: [400, 404, 409, 502])
    mutating func `a refused MOVE of a whole file is named, and nothing is left`(status: Int) {
        run.model.moveStatus = status
        let failure = run.upload().failure
        expectNamed(failure)
        #expect(failure?.status == status)
        #expect(run.model.files.isEmpty)
        #expect(run.model.log.filter { $0.hasPrefix("PUT") }.count == 1)
    }

    @Test mutating func `a path that is free and called taken is named`() {
        run.model.detour = "/elsewhere"
        run.model.files[elsewhere] = 10
        let failure = run.upload().failure
        expectNamed(failure)
    }

    @Test mutating func `a lost response to a MOVE that led elsewhere is not taken for done`() {
        run.model.tellsTags = true
        run.model.put(place, size: 10)
        let old = run.model.versions[place]
        run.model.detour = "/elsewhere"
        _ = run.upload(lose: { $0.method == .move })
        let failure = run.upload().failure
        expectNamed(failure)
        #expect(run.model.versions[place] == old)
    }
}

struct WebDAVVersionTests {
    private func version(_ tag: String?, _ modified: String? = nil, size: ByteCount? = 10) -> WebDAVVersion {
        WebDAVVersion(FoundFile(size: size, entityTag: tag, modified: modified))
    }

    @Test func `a tag that is weak for a second is the same version`() {
        #expect(version("W/\"a\"").isSame(as: version("\"a\"")) == true)
    }

    @Test func `anything that differs makes another version`() {
        #expect(version("\"a\"").isSame(as: version("\"b\"")) == false)
        #expect(version("\"a\"", "t").isSame(as: version("\"a\"", "u")) == false)
        #expect(version(nil).isSame(as: version(nil, size: 11)) == false)
    }

    @Test func `the size alone says nothing`() {
        #expect(version(nil).isSame(as: version(nil)) == nil)
        #expect(version("\"a\"").isSame(as: version(nil, "t")) == nil)
    }

    @Test(arguments: [(256, true), (257, false)])
    func `a tag and a time may have 256 bytes`(length: Int, isKept: Bool) {
        let text = String(repeating: "t", count: length)
        #expect(version(text, text).entityTag == (isKept ? text : nil))
        #expect(version(text, text).modified == (isKept ? text : nil))
    }

    @Test func `a tag made of contents proves no MOVE astray`() {
        let same = version("\"a\"")
        #expect(WebDAVArrival(old: same, new: same, found: same) == .unknown)
        #expect(WebDAVArrival(old: same, new: version("\"b\""), found: same) == .astray)
        #expect(WebDAVArrival(old: same, new: version("\"b\""), found: version("\"b\"")) == .arrived)
        #expect(WebDAVArrival(old: nil, new: same, found: same) == .arrived)
    }
}

struct WebDAVTemporaryNameTests {
    private var run = WebDAVRun(model: WebDAVModel())

    @Test mutating func `an old temporary name that the server fails over twice is given up for another`() {
        _ = run.upload(lose: { $0.method == .put })
        run.model.lookStatus[temporary] = 500
        #expect(run.upload().failure?.status == 500)
        #expect(run.upload().receipt != nil)
        #expect(run.model.files == [place: 10])
        #expect(run.model.log.last == "DELETE \(temporary)")
        #expect(run.model.log.contains("MOVE \(temporary)~2"))
    }

    @Test mutating func `a server that is away keeps the old temporary name`() {
        _ = run.upload(lose: { $0.method == .put })
        run.model.lookStatus[temporary] = 503
        for _ in 0..<3 { #expect(run.upload().failure?.status == 503) }
        run.model.lookStatus = [:]
        #expect(run.upload().receipt != nil)
        #expect(run.model.log.filter { $0.hasPrefix("PUT") } == ["PUT \(temporary)"])
    }

    @Test func `temporary names count on, and are found as what they are to become`() {
        let address = WebDAVAddress("http://h/f/a.bin").temporary(key: "ferry-1-2-3")
        #expect(address.nextTemporary.last == ".a.bin.part-ferry-1-2-3~2")
        #expect(address.nextTemporary.nextTemporary.last == ".a.bin.part-ferry-1-2-3~3")
        #expect(WebDAVAddress.name(ofTemporary: address.nextTemporary.last) == "a.bin")
        let long = WebDAVAddress("http://h/" + String(repeating: "a", count: 300)).temporary(key: "k")
        #expect(long.nextTemporary.last.utf8.count <= 255)
    }
}

struct WebDAVRefusalTests {
    private var run = WebDAVRun(model: WebDAVModel())

    @Test mutating func `a missing folder is made where the server responds with 500`() {
        run.model.missingFolderStatus = 500
        #expect(run.upload(.make(name: "b/e.bin")).receipt != nil)
        #expect(run.model.files == ["/files/b/e.bin": 10])
    }

    @Test mutating func `a server that fails for another reason is tried once more at most`() {
        run.model.putStatus = 500
        run.model.folders = ["/", "/files/", "/files/b/"]
        #expect(run.upload(.make(name: "b/e.bin")).failure?.status == 500)
        #expect(run.model.log.filter { $0.hasPrefix("MKCOL") } == ["MKCOL /files/b/"])
        #expect(run.model.log.filter { $0.hasPrefix("PUT") }.count == 2)
    }

    @Test mutating func `a request that is too large becomes several where the server takes parts`() {
        run.model.ranges = .honours
        run.model.largestRequest = 1 << 20
        #expect(run.upload(.make(size: 10 << 20)).receipt != nil)
        #expect(run.model.files == [place: 10 << 20])
        #expect(run.capabilities?.facts["largestRequest"] == "655360")
        let sent = run.model.log.filter { $0.hasPrefix("PUT") }.count
        #expect(run.upload(.make(name: "b.bin", size: 10 << 20)).receipt != nil)
        // The second upload does not repeat the refused requests.
        #expect(run.model.log.filter { $0.hasPrefix("PUT") }.count - sent == 17)
    }

    @Test mutating func `a request that is too large is named where the server takes no parts`() {
        run.model.largestRequest = 1 << 20
        let failure = run.upload(.make(size: 10 << 20)).failure
        #expect(failure?.status == 413)
        #expect(failure?.hint?.contains("client_max_body_size") == true)
        #expect(failure?.hint?.contains("chunkSize") == true)
        #expect(failure?.category == .permanent)
        // The part that was sent first is deleted.
        #expect(run.model.files.isEmpty)
        #expect(run.resource == nil)
    }

    @Test(arguments: [10_000, 10 << 20] as [ByteCount])
    mutating func `a refusal of small requests is not blamed on a server that takes parts`(size: ByteCount) {
        run.model.ranges = .honours
        run.model.largestRequest = 1000
        let failure = run.upload(.make(size: size)).failure
        #expect(failure?.status == 413)
        #expect(failure?.hint?.contains("client_max_body_size") == true)
        #expect(failure?.hint?.contains("chunkSize") == false)
    }
}

/// Tests SabreDAV's partial update.
struct WebDAVPatchTests {
    private var run = WebDAVRun(model: WebDAVModel(dav: "1, 3, sabredav-partialupdate"))
    private let size: ByteCount = 64 << 20

    @Test mutating func `parts are written without a setting, larger with each that arrives`() {
        var sizes: [ByteCount] = []
        let step = run.upload(.make(size: size)) {
            if $0.method == .patch { sizes.append($0.contentLength >> 20) }
            return false
        }
        #expect(step.receipt != nil)
        #expect(sizes == [1, 2, 4, 8, 16, 16, 16, 0])
        #expect(run.model.files == [place: size])
    }

    @Test mutating func `an upload that broke resumes at what is there, with a smaller part`() {
        _ = run.upload(
            .make(size: size), reaches: false,
            lose: { $0.fields[.updateRange]?.hasPrefix("bytes=1114112-") == true })
        var first: Exchange?
        let step = run.upload(.make(size: size)) {
            if $0.method == .patch { first = first ?? $0 }
            return false
        }
        #expect(step.receipt != nil)
        #expect(first?.fields[.updateRange] == "bytes=1114112-2162687")
        #expect(run.model.files == [place: size])
    }

    @Test(arguments: [405, 501, 400])
    mutating func `a server that refuses parts is not said to have lost bytes`(status: Int) {
        run.model.patchStatus = status
        #expect(run.upload(.make(size: size)).receipt != nil)
        #expect(run.lost == 0)
        #expect(run.capabilities?.facts["ranges"] == "no")
        #expect(run.model.files == [place: size])
    }
}
