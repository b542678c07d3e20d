import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests `kill -9` at random times: nothing acknowledged is lost, and the server's bytes are not sent again.
@Suite(.fewAtOnce, .serialized, .timeLimit(.minutes(15)))
struct KillTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test func `a large tus upload survives five kills and resumes each time`() async throws {
        try await killFiveTimes(size: 128 << 20, bytesPerSecond: 32 << 20, seed: 20)
    }

    @Test(.enabled(if: LongTests.areWanted, "takes minutes and 2 GiB of disk; FERRY_LONG=1 runs it"))
    func `a gibibyte over tus survives five kills and resumes each time`() async throws {
        try await killFiveTimes(size: 1 << 30, bytesPerSecond: 96 << 20, seed: 21)
    }

    private func killFiveTimes(size: Int, bytesPerSecond: Int, seed: UInt64) async throws {
        let place = place
        try place.file("large.bin", "")
        _ = try PatternFile(at: place.path("large.bin"), count: size, seed: seed)
        var random = SeededGenerator(seed: seed)
        let moments = (0..<5).map { _ in Int.random(in: size / 50...size / 5 * 3, using: &random) }.sorted()
        let limit: (inout ReceiverConfiguration) -> Void = { $0.bytesPerSecond = bytesPerSecond }
        try await ReceiverSite.with(limit) { site in
            let link = try FaultyLink(to: site.port, LinkFaults())
            defer { link.stop() }
            try place.configure("tus", at: "http://127.0.0.1:\(link.port)/files/")
            try await place.ferry("add", place.path("large.bin"))
            var (smallBytes, kills) = (0, [String]())
            for (number, moment) in moments.enumerated() {
                let engine = try place.start("run", "--json")
                try await site.log.wait { $0.resumed == number }
                let begun = site.log.totals.bytes
                // The last kill may have come when this many bytes had arrived. An attempt that resumes at the same
                // offset as the last one need not record it, so bytes of the large file must arrive: more than a small
                // file has.
                try await site.log.wait { $0.bytes >= moment && $0.bytes > begun + 1024 }
                // The link stands still until the kill. Otherwise, the upload could end first: on a busy machine, the
                // commands take seconds.
                link.change(to: .freeze)
                try await Eventually.holds("it goes on") { try await place.list().first?.state == "running" }
                let small = "small \(number)"
                try await place.ferry("add", try place.file(small, small))
                smallBytes += small.utf8.count
                let before = try await place.list()
                #expect(before.first?.state == "running", "it was over before the kill")
                engine.signal(SIGKILL)
                kills.append("\(site.log.totals.bytes >> 20)")
                #expect(try await engine.ending() == .killed(SIGKILL))
                link.cut()
                let after = try await place.list()
                #expect(after.map(\.id) == before.map(\.id))
                #expect(after.map(\.path) == before.map(\.path))
                let done = before.filter { $0.state == "done" }
                #expect(Set(after).isSuperset(of: done))
            }
            let last = try await place.ferry("run", "--json", "--exit-when-idle", upTo: .seconds(300))
            #expect(last.ending == .exited(0), "\(last.output)")
            let uploads = try await place.list()
            #expect(uploads.map(\.state) == Array(repeating: "done", count: 6))
            #expect(await ChildProcess.succeeds("cmp", place.path("large.bin"), site.folder + "/large.bin"))
            // An attempt writes down its resumption before it sends a byte, so no kill takes one back.
            #expect(site.log.totals.resumed == moments.count)
            #expect(uploads.first?.resumes == moments.count)
            for number in 0..<5 { #expect(site.content("small \(number)") == Data("small \(number)".utf8)) }
            let again = site.receiver.statistics().bodyBytes - size - smallBytes
            let places = kills.joined(separator: ", ")
            print("\(size >> 20) MiB over tus, killed at \(places) MiB: \(again) bytes received twice")
            // Each kill can lose one chunk and the buffers of two sockets.
            #expect(again <= 5 * (8 << 20 + 4 << 20))
            #expect(again >= 0)
        }
    }

    @Test func `twenty kills during a batch of small files lose none`() async throws {
        let place = place
        var random = SeededGenerator(seed: 22)
        let files = try (0..<300).map { number in
            let name = "batch/\(number).bin"
            try place.file(name, "")
            return try PatternFile(
                at: place.path(name), count: Int.random(in: 0...65_536, using: &random), seed: UInt64(number))
        }
        let moments = (0..<20).map { _ in Int.random(in: 0..<200, using: &random) }.sorted()
        let configure: (inout ReceiverConfiguration) -> Void = { configuration in
            // A file that is sent again replaces the first one.
            configuration.overwrite = true
            configuration.bytesPerSecond = 4 << 20
        }
        try await ReceiverSite.with(configure) { site in
            let link = try FaultyLink(to: site.port, LinkFaults())
            defer { link.stop() }
            try place.configure("put", at: "http://127.0.0.1:\(link.port)/")
            for decade in 0..<10 {
                let adding = try place.start("add", place.path("batch/*\(decade).bin"))
                try await adding.output.wait { $0.contains { $0.hasPrefix("added ") } }
                adding.signal(SIGKILL)
                try await adding.ending()
            }
            #expect(try await place.list().count == 300)
            for moment in moments {
                let engine = try place.start("run")
                try await site.log.wait { $0.finished >= moment }
                link.change(to: .freeze)
                engine.signal(SIGKILL)
                #expect(try await engine.ending() == .killed(SIGKILL))
                link.cut()
            }
            let before = try await place.list()
            #expect(before.count == 300)
            #expect(before.contains { $0.state == "done" })
            #expect(before.contains { $0.state == "queued" })
            let last = try await place.ferry("run", "--exit-when-idle")
            #expect(last.lines.last == "\(before.count { $0.state != "done" }) done")
            #expect(try await place.list().count { $0.state == "done" } == 300)
            #expect(last.ending == .exited(0))
            for file in files {
                let content = try #require(site.content((file.path as NSString).lastPathComponent))
                #expect(content.count == file.count)
                #expect(file.firstDifference(from: Array(content)) == nil)
            }
            #expect(try site.names().count == 300)
            print("300 files by PUT, killed 20 times: \(site.log.totals.finished) were stored")
        }
    }
}
