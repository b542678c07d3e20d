import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

/// Tests a disk or network share that disappears, breaks or hangs.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct MediumTests {
    private static let tracing = Comment(rawValue: "injects errors into system calls: needs strace")

    private let place: Workplace

    init() throws { place = try Workplace() }

    /// Returns the words that run `ferry` under strace, with a fault in calls for one file.
    private func strace(_ fault: String, of path: String) -> [String] {
        let call = String(fault.prefix { $0 != ":" })
        return [
            "strace", "-f", "-qq", "-o", place.directory.path("trace"), "-e", "trace=\(call)", "-e",
            "inject=\(fault)", "-P", path,
        ]
    }

    @Test(.enabled(if: Privilege.has("strace"), tracing), arguments: ["pread64", "sendfile"])
    func `F13 an error of the medium is the file's and waits until it is over`(call: String) async throws {
        let place = place
        try place.file("a", "")
        // A small file is read with pread(2). The kernel sends a large one with sendfile(2).
        let pattern = try PatternFile(at: place.path("a"), count: call == "sendfile" ? 4 << 20 : 60_000)
        try await ReceiverSite.with { site in
            // With a long wait, the state waiting is published before it ends, even on a busy machine.
            try place.configure("tus", at: site.tusURL, retry: 5)
            try await place.ferry("add", place.path("a"))
            let process = try place.start(
                through: strace("\(call):error=EIO:when=1", of: place.path("a")),
                ["run", "--json", "--exit-when-idle"])
            let result = try await Workplace.result(of: process)
            #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
            let waits = try UploadLine.all(in: result.lines).filter { $0.state == "waiting" }
            #expect(!waits.isEmpty)
            for wait in waits {
                #expect(wait.error == "\(place.path("a")): source not readable (input/output error)")
                #expect(wait.hint?.contains("by itself") == true)
            }
            #expect(pattern.firstDifference(from: Array(try #require(site.content("a")))) == nil)
        }
    }

    @Test(.enabled(if: Privilege.has("strace"), tracing), arguments: ["pread64", "openat"])
    func `F13 a call that hangs is reported and delays no other upload`(call: String) async throws {
        let place = place
        for name in ["slow/hangs", "b", "c"] { try place.file(name, String(name.suffix(5))) }
        let path = place.path("slow/hangs")
        try await ReceiverSite.with { site in
            try place.configure(
                """
                { "destinations": { "here": { "url": "\(site.url)", "protocol": "put" } },
                  "retry": { "base": 3, "cap": 3 }, "timeouts": { "read": 1 }, "limits": { "concurrency": 1 } }
                """)
            try await place.ferry("add", path, place.path("b"), place.path("c"))
            let process = try place.start(
                // The file is opened relative to its folder, so strace selects the call by the folder.
                through: strace(
                    "\(call):delay_enter=8s:when=1", of: call == "openat" ? place.path("slow") : path),
                ["run", "--json", "--exit-when-idle"])
            let result = try await Workplace.result(of: process)
            #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
            let seen = try UploadLine.all(in: result.lines)
            let wait = try #require(seen.first { $0.state == "waiting" })
            #expect(wait.error == "\(path): has not been read for 1 s")
            // Only one upload runs at a time. The others were sent before the call returned.
            #expect(seen.filter { $0.state == "done" }.map(\.name) == ["b", "c", "hangs"])
            #expect(site.content("hangs") == Data("hangs".utf8))
        }
    }

    @Test(.enabled(if: LoopVolume.isPossible, Comment(rawValue: LoopVolume.need)))
    func `F13 a medium that is not mounted is waited for`() async throws {
        let place = place
        try await LoopVolume.with { volume in
            try FileManager.default.createDirectory(
                atPath: volume.path + "/films", withIntermediateDirectories: false)
            let path = volume.path + "/films/a"
            let pattern = try PatternFile(at: path, count: 300_000)
            try await ReceiverSite.with { site in
                try place.configure("put", at: site.url)
                try await place.ferry("add", path)
                try await place.ferry("add", try place.file("b"))
                await volume.unmount()
                let process = try place.start("run", "--json", "--exit-when-idle")
                try await process.output.wait { $0.contains { $0.contains("share is not mounted") } }
                try await Eventually.holds("the other is done") { site.content("b") != nil }
                try await volume.mount()
                #expect(try await process.ending() == .exited(0), "\(process.errors.text)")
                #expect(pattern.firstDifference(from: Array(try #require(site.content("a")))) == nil)
                let waits = try UploadLine.all(in: process.output.lines).filter { $0.state == "waiting" }
                #expect(
                    waits.first?.error == "\(path): source not readable (its disk or share is not mounted)")
            }
        }
    }

    @Test(.enabled(if: LoopVolume.isPossible, Comment(rawValue: LoopVolume.need)))
    func `F13 a medium that breaks while it is read is waited for, and its upload resumes`() async throws {
        let place = place
        try await LoopVolume.with { volume in
            let path = volume.path + "/a"
            let pattern = try PatternFile(at: path, count: 24 << 20)
            let limit: (inout ReceiverConfiguration) -> Void = { $0.bytesPerSecond = 8 << 20 }
            try await ReceiverSite.with(limit) { site in
                try place.configure("tus", at: site.tusURL)
                try await place.ferry("add", path)
                let process = try place.start("run", "--json", "--exit-when-idle")
                try await site.log.wait { $0.bytes >= 2 << 20 }
                try volume.breakDown()
                try await process.output.wait {
                    $0.contains { $0.contains("source not readable (input/output error)") }
                }
                // The upload resumes without a command of a user, and others run.
                try await place.ferry("add", try place.file("b", "b"))
                try await Eventually.holds("the other is done") { site.content("b") != nil }
                await volume.unmount()
                try await volume.mount()
                #expect(try await process.ending(upTo: .seconds(100)) == .exited(0), "\(process.output.text)")
                #expect(pattern.firstDifference(from: Array(try #require(site.content("a")))) == nil)
                let upload = try #require(try await place.list().first { $0.path == path })
                #expect(upload.resumes >= 1)
            }
        }
    }
}
