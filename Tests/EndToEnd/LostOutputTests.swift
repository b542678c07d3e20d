import FerryTestSupport
import Foundation
import Testing

/// Tests standard output that cannot be written, by way of a device that is always full.
@Suite(.fewAtOnce, .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "needs /dev/full"))
struct LostOutputTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test(arguments: [
        ["list"], ["list", "--json"], ["history", "--json"], ["config", "--print-example"],
        ["help", "scripts"],
        ["run", "--exit-when-idle", "--json"], ["state", "export"], ["list", "--state", "done"],
    ])
    func `S8 output that a full disk takes away is an error`(arguments: [String]) async throws {
        let server = try HostileServer([.answer(201), .answer(201)])
        defer { server.stop() }
        try place.configure("put", at: server.url("/"))
        try await place.ferry("add", try place.file("a"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        try await place.ferry("add", try place.file("b"))
        let words = ["sh", "-c", #"exec "$0" "$@" >/dev/full"#]
        let result = try await Workplace.result(of: place.start(through: words, arguments))
        #expect(result.ending == .exited(74), "\(result.errors)")
        #expect(result.errors.contains("written: No space left on device"))
    }

    @Test func `a closed standard output does not become another file`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        let words = ["sh", "-c", #"exec "$0" "$@" >&-"#]
        let result = try await Workplace.result(
            of: place.start(through: words, ["add", try place.file("a")]))
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(try await place.list().count == 1)
    }

    @Test func `a reader that has enough is no error`() async throws {
        let words = ["sh", "-c", #""$0" "$@" | head -1"#]
        let result = try await Workplace.result(of: place.start(through: words, ["help", "configuration"]))
        #expect(result.ending == .exited(0))
        #expect(result.errors.isEmpty)
    }
}
