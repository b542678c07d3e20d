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
        ["run", "--exit-when-idle", "--json"], ["state", "export"],
    ])
    func `S8 output that a full disk takes away is an error`(arguments: [String]) async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        try await place.ferry("add", try place.file("a"), "--at", "2099-01-01 06:00")
        try await place.ferry("add", try place.file("b"), "--at", "2099-01-01 06:00")
        try await place.ferry("remove", "2")
        let words = ["sh", "-c", #"exec "$0" "$@" >/dev/full"#]
        let result = try await Workplace.result(of: place.start(through: words, arguments))
        #expect(result.ending == .exited(74), "\(result.errors)")
        #expect(result.errors.contains("written: No space left on device"))
    }

    @Test func `a reader that has enough is no error`() async throws {
        let words = ["sh", "-c", #""$0" "$@" | head -1"#]
        let result = try await Workplace.result(of: place.start(through: words, ["help", "configuration"]))
        #expect(result.ending == .exited(0))
        #expect(result.errors.isEmpty)
    }
}
