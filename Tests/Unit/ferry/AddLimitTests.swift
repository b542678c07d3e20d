import FerryFiles
import FerryTestSupport
import FerryTransfer
import FerryUploads
import Testing

@testable import FerryCommand

/// Tests the limits of `ferry add`: for files that are added without a question, and for paths from standard input.
struct AddLimitTests {
    private static func question(_ count: Int) -> String? {
        let destination = Destination(name: "here", url: "http://h/box/", protocolName: "put")
        let new = (0..<count).map { _ in
            NewUpload(
                path: LocalPath("/a"), identity: Upload.boxed(1).identity, target: Upload.boxed(1).target)
        }
        return AddQuestion(new, to: destination).text
    }

    @Test(arguments: [(1000, false), (1001, true)])
    func `files beyond the first thousand are added only after a question`(count: Int, asks: Bool) {
        let question = Self.question(count)
        #expect((question != nil) == asks)
        #expect(question?.hasPrefix("Add 1001 files, ") ?? true, "\(question ?? "")")
    }

    /// Reads `count` bytes of paths in several chunks, and returns the number of paths.
    private static func read(_ count: Int, upTo limit: Int) throws(CommandFailure) -> Int {
        var left = Array(repeating: UInt8(ascii: "a"), count: count - 1) + [0x0A]
        let paths = try PathInput(separator: .line).read(upTo: limit) { size in
            let next = Array(left.prefix(min(size, 3)))
            left.removeFirst(next.count)
            return next
        }
        return paths.map(\.bytes.count).reduce(0, +)
    }

    @Test func `paths of as many bytes as the limit are read`() throws {
        #expect(try Self.read(10, upTo: 10) == 9)
    }

    @Test func `paths of a byte more than the limit are refused`() {
        let failure = #expect(throws: CommandFailure.self) { try Self.read(11, upTo: 10) }
        #expect(failure?.summary == "standard input is longer than 1 GiB: it is not a list of paths")
    }

    @Test func `paths may have a gibibyte in all`() {
        #expect(PathInput.limit == 1 << 30)
    }
}
