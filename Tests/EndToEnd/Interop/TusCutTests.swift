import FerryTestSupport
import Foundation
import Testing

/// Tests uploads by tus to real servers, over a link that breaks repeatedly.
@Suite(.fewAtOnce, .serialized, .timeLimit(.minutes(15)))
struct TusCutTests {
    private static let needsTime: Comment = "takes minutes and a gigabyte of disk; FERRY_LONG=1 runs it"
    /// An upload of 200 MB with twenty cuts.
    private static let long = CutUpload(size: 200_000_000, cuts: 20, seed: 40)

    private let place: Workplace
    private let folder: String

    init() throws {
        place = try Workplace()
        folder = try place.folder("server")
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `N3 tuspyserver gets hardly a byte twice though the link is cut five times`() async throws {
        try await cutTuspyserver(CutUpload(size: 32 << 20, cuts: 5, seed: 31))
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `tuspyserver gets hardly a byte twice though ferry is killed five times`() async throws {
        try await cutTuspyserver(CutUpload(size: 32 << 20, cuts: 5, seed: 32, trouble: .kill))
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `a deferred length is sent once, however often the link is cut`() async throws {
        try await cutTuspyserver(
            CutUpload(size: 32 << 20, cuts: 5, seed: 33), more: #", "deferLength": true"#)
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `four parts at once survive five cuts`() async throws {
        try await cutTuspyserver(CutUpload(size: 80 << 20, cuts: 5, seed: 34), parts: 4)
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `four parts at once survive five kills`() async throws {
        try await cutTuspyserver(
            CutUpload(size: 80 << 20, cuts: 5, seed: 35, trouble: .kill), parts: 4)
        let whole = try place.exchangeSizes("PATCH").filter { $0 == 20 << 20 }
        #expect(whole.count >= 4, "not in four parts")
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `a server that keeps nothing of a broken request is sent chunks`() async throws {
        try await cutAiohttp(CutUpload(size: 64 << 20, cuts: 5, seed: 36))
        let sizes = try place.exchangeSizes("PATCH")
        #expect(sizes.contains(8 << 20), "\(sizes)")
    }

    @Test(arguments: [CutUpload.Trouble.link, .kill])
    func `checked chunks survive five cuts, and make the upload verified`(trouble: CutUpload.Trouble)
        async throws
    {
        let place = place
        try await ReceiverSite.with { site in
            let port = try #require(URL(string: site.url)?.port)
            let result = try await CutUpload(size: 48 << 20, cuts: 5, seed: 37, trouble: trouble).run(
                in: place, to: port, "/files/", protocol: "tus",
                more: #", "checksum": "sha-256", "chunkSize": "1M""#)
            let stored = site.folder + "/" + CutUpload.name
            #expect(await ChildProcess.succeeds("cmp", place.path(CutUpload.name), stored))
            // A chunk whose connection breaks is sent again completely.
            #expect(result.ratio <= 1.15)
            #expect(try place.exchangeSizes("PATCH").allSatisfy { $0 == 1 << 20 })
            #expect(await ChildProcess.succeeds("grep", "-rq", #""verified":"sha-256""#, place.state))
            print("receiver, checked, \(trouble): \(result)")
        }
    }

    @Test(
        .enabled(if: InteropServer.hasPython, InteropServer.needsPython),
        .enabled(if: LongTests.areWanted, needsTime),
        arguments: [CutUpload.Trouble.link, .kill])
    func `two hundred megabytes to tuspyserver survive twenty cuts`(trouble: CutUpload.Trouble) async throws {
        var upload = Self.long
        upload.trouble = trouble
        try await cutTuspyserver(upload)
    }

    @Test(
        .enabled(if: InteropServer.hasPython, InteropServer.needsPython),
        .enabled(if: LongTests.areWanted, needsTime),
        arguments: [CutUpload.Trouble.link, .kill])
    func `two hundred megabytes in four parts survive twenty cuts`(trouble: CutUpload.Trouble) async throws {
        var upload = Self.long
        upload.trouble = trouble
        try await cutTuspyserver(upload, parts: 4)
    }

    @Test(
        .enabled(if: InteropServer.hasPython, InteropServer.needsPython),
        .enabled(if: LongTests.areWanted, needsTime),
        arguments: [CutUpload.Trouble.link, .kill])
    func `two hundred megabytes to aiohttp-tus survive twenty cuts`(trouble: CutUpload.Trouble) async throws {
        var upload = Self.long
        upload.trouble = trouble
        try await cutAiohttp(upload)
    }

    private func cutTuspyserver(_ upload: CutUpload, parts: Int = 1, more: String = "") async throws {
        let server = try await InteropServer("tus_server.py", folder: folder)
        let result = try await upload.run(
            in: place, to: server.port, "/files/", protocol: "tus",
            more: (parts > 1 ? #", "parallel": \#(parts)"# : "") + more)
        let id = try #require(result.upload.location?.split(separator: "/").last)
        #expect(await ChildProcess.succeeds("cmp", place.path(CutUpload.name), "\(folder)/\(id)"))
        #expect(result.bytesThrough <= result.bound(connections: parts))
        print("tuspyserver\(more), \(upload.trouble): \(result)")
        try await server.stop()
    }

    private func cutAiohttp(_ upload: CutUpload) async throws {
        let server = try await InteropServer("aiohttp_tus_server.py", folder: folder)
        let result = try await upload.run(in: place, to: server.port, "/files", protocol: "tus")
        #expect(
            await ChildProcess.succeeds("cmp", place.path(CutUpload.name), "\(folder)/\(CutUpload.name)"))
        print("aiohttp-tus, \(upload.trouble): \(result)")
        try await server.stop()
    }
}
