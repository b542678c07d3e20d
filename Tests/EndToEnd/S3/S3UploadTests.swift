import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests uploads in parts to OpenStack Swift, with kills, breaks and errors.
@Suite(.fewAtOnce, .serialized, .timeLimit(.minutes(15)), .enabled(if: S3Site.isHere, S3Site.needs))
struct S3UploadTests {
    private static let part = 5 << 20

    private let place: Workplace

    init() throws { place = try Workplace() }

    private func makeFile(_ name: String, _ size: Int) throws -> String {
        try place.file(name, "")
        _ = try PatternFile(at: place.path(name), count: size, seed: UInt64(size))
        return place.path(name)
    }

    private func configure(_ url: String, more: String = "", bandwidth: String? = nil) throws {
        try place.configure(
            "s3", at: url, more: S3Site.keys + #", "chunkSize": "5M""# + more,
            limits: bandwidth.map { #"{ "bandwidth": "\#($0)" }"# } ?? "{}")
    }

    private func run() async throws {
        let result = try await place.ferry("run", "--exit-when-idle", upTo: .seconds(300))
        #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
    }

    /// Returns the text of all files of the queue.
    private func stateText() throws -> String {
        try FileManager.default.contentsOfDirectory(atPath: place.state)
            .filter { $0.hasPrefix("queue") || $0.hasPrefix("journal") }
            .map {
                String(
                    decoding: FileManager.default.contents(atPath: place.state + "/" + $0) ?? Data(),
                    as: UTF8.self)
            }
            .joined()
    }

    @Test func `a large file survives five kills, and no part that is held goes again`() async throws {
        try await killFiveTimes(size: 64 << 20 + 4321, bandwidth: "16M")
    }

    @Test(.enabled(if: LongTests.areWanted, "takes minutes and 4 GiB of disk; FERRY_LONG=1 runs it"))
    func `a gibibyte survives five kills, and no part that is held goes again`() async throws {
        try await killFiveTimes(size: 1 << 30, bandwidth: "64M")
    }

    private func killFiveTimes(size: Int, bandwidth: String) async throws {
        let site = try await S3Site("kills-\(size)")
        let file = try makeFile("large.bin", size)
        try configure(site.url, more: #", "checksum": "crc64nvme""#, bandwidth: bandwidth)
        try await place.ferry("add", file)
        var random = SeededGenerator(seed: UInt64(size))
        for kill in 1...5 {
            // At the last kill a third of the file is left, so the upload still runs when the list is read.
            let moment = size * kill / 9 + Int.random(in: 0...size / 18, using: &random)
            let engine = try place.start("run")
            try await Eventually.holds("\(moment) bytes held") {
                try await place.list().first.map {
                    // The upload is queued at first, with what the last engine sent.
                    $0.state == "running" ? $0.confirmed >= moment : $0.state != "queued"
                } ?? false
            }
            let before = try #require(try await place.list().first)
            #expect(before.state == "running", "\(before)")
            engine.signal(SIGKILL)
            #expect(try await engine.ending() == .killed(SIGKILL))
        }
        try await run()
        #expect(try await site.holds("large.bin", sameAs: file))
        // The log records a request when it begins, with the size of its whole body. Requests that a kill broke
        // therefore count completely.
        let again = try place.exchangeSizes("PUT").reduce(0, +) - size
        print(
            "\(size) bytes to S3 in parts, killed 5 times: parts of \(again) bytes were begun twice"
        )
        #expect(again >= 0)
        #expect(again <= 5 * 4 * Self.part)
    }

    @Test
    func `a link that breaks three times costs the parts in flight and nothing more, and is counted so`()
        async throws
    {
        let site = try await S3Site("flaky")
        let file = try makeFile("large.bin", 48 << 20 + 99)
        let link = try FaultyLink(to: site.server.port, LinkFaults())
        defer { link.stop() }
        try configure(
            "http://127.0.0.1:\(link.port)/\(site.bucket)/", more: #", "checksum": "crc32c""#,
            bandwidth: "16M")
        try await place.ferry("add", file)
        let cuts = [6 << 20, 18 << 20, 30 << 20]
        let upload = try await link.fade(at: cuts, in: place)
        #expect(try await site.holds("large.bin", sameAs: file))
        #expect(upload.resent > 0)
        #expect(upload.resent <= cuts.count * 4 * Self.part)
    }

    @Test(arguments: [CutUpload.Trouble.link, .kill])
    func `a link that is cut five times costs a part each time`(trouble: CutUpload.Trouble) async throws {
        try await cut(CutUpload(size: 64_000_000, cuts: 5, seed: 71, trouble: trouble))
    }

    @Test(
        .enabled(if: LongTests.areWanted, "takes minutes; FERRY_LONG=1 runs it"),
        arguments: [CutUpload.Trouble.link, .kill])
    func `two hundred megabytes survive twenty cuts`(trouble: CutUpload.Trouble) async throws {
        try await cut(CutUpload(size: 200_000_000, cuts: 20, seed: 72, trouble: trouble))
    }

    private func cut(_ upload: CutUpload) async throws {
        let site = try await S3Site("cuts-\(upload.cuts)-\(upload.trouble)")
        let result = try await upload.run(
            in: place, to: site.server.port, "/\(site.bucket)/", protocol: "s3",
            more: S3Site.keys + #", "chunkSize": "5M", "parallel": 1"#)
        #expect(try await site.holds(CutUpload.name, sameAs: place.path(CutUpload.name)))
        print("OpenStack Swift by S3, \(upload.trouble), parts of 5 MiB: \(result)")
        // Heads, signatures and the list of parts are less than 1 % of the file.
        #expect(result.bytesThrough <= upload.size + upload.size / 100 + upload.cuts * Self.part)
    }

    @Test(arguments: ["crc64nvme", "crc32c", "sha-256", "sha-1", "md5"])
    func `a checksum in the configuration is confirmed where the server reports one`(checksum: String)
        async throws
    {
        let site = try await S3Site("sums-\(checksum)")
        try configure(site.url, more: #", "checksum": "\#(checksum)""#)
        for (name, size) in ["empty.bin": 0, "small.bin": 1000, "large.bin": 3 * Self.part + 1] {
            try await place.ferry("add", try makeFile(name, size))
        }
        try await run()
        for name in ["empty.bin", "small.bin", "large.bin"] {
            #expect(try await site.holds(name, sameAs: place.path(name)), "\(name)")
        }
        let confirmed = try stateText().components(separatedBy: #""verified":"\#(checksum)""#).count - 1
        print("S3 with \(checksum): confirmed by the server: \(confirmed > 0)")
        if checksum == "md5" { #expect(confirmed >= 3) }
    }

    @Test func `an existing object is skipped, kept or replaced as the configuration says`() async throws {
        let site = try await S3Site("existing")
        let file = try makeFile("a.bin", 1000)
        try configure(site.url)
        try await place.ferry("add", file)
        try await run()
        for (policy, status) in [("skip", Int32(0)), ("rename", 0), ("fail", 1), ("replace", 0)] {
            try configure(site.url, more: #", "ifExists": "\#(policy)""#)
            try await place.ferry("add", "--again", file)
            let result = try await place.ferry("run", "--exit-when-idle")
            #expect(result.ending == .exited(status), "\(policy): \(result.output)")
            try await place.ferry("remove", "--all")
        }
        #expect(try await site.holds("a (2).bin", sameAs: file))
        // The three are the first file, the second name and the replacement. Skipped and refused files were not sent.
        #expect(try place.exchangeSizes("PUT").count == 3)
    }

    @Test func `a large file gets another name when its own is taken`() async throws {
        let site = try await S3Site("existing-parts")
        let file = try makeFile("a.bin", 2 * Self.part)
        try configure(site.url, more: #", "ifExists": "rename""#)
        for _ in 0..<2 {
            try await place.ferry("add", "--again", file)
            try await run()
        }
        #expect(try await site.holds("a.bin", sameAs: file))
        #expect(try await site.holds("a (2).bin", sameAs: file))
    }

    @Test func `an upload that is removed while it is sent leaves nothing at the server`() async throws {
        let site = try await S3Site("removed")
        let file = try makeFile("large.bin", 40 << 20)
        try configure(site.url, bandwidth: "4M")
        try await place.ferry("add", file)
        let engine = try place.start("run")
        try await Eventually.holds("a part held") {
            try await place.list().first.map { $0.confirmed > 0 } ?? false
        }
        let state = try stateText()
        let start = try #require(state.range(of: "?uploadId="))
        let upload = String(state[start.upperBound...].prefix { $0 != "\"" })
        #expect(try await site.ask(.get, "large.bin?uploadId=\(upload)").status == 200)
        try await place.ferry("remove", "--all")
        try await Eventually.holds("the upload is gone") {
            try await site.ask(.get, "large.bin?uploadId=\(upload)").status == 404
        }
        engine.signal(SIGTERM)
        try await engine.ending()
    }

    @Test(.enabled(if: LongTests.areWanted, "takes minutes and 15 GiB of disk; FERRY_LONG=1 runs it"))
    func `a byte more than one request may carry goes in parts`() async throws {
        let site = try await S3Site("five-gibibytes")
        let file = try place.file("huge.bin", "")
        #expect(truncate(file, (5 << 30) + 1) == 0)
        try configure(site.url)
        try await place.ferry("add", file)
        let result = try await place.ferry("run", "--exit-when-idle", upTo: .seconds(800))
        #expect(result.ending == .exited(0), "\(result.output)")
        #expect(try await site.holds("huge.bin", sameAs: file))
        #expect(try place.exchangeSizes("PUT").reduce(0, +) == (5 << 30) + 1)
    }
}
