import FerryFiles
import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

struct TransferLogTests {
    @Test(arguments: [(8 << 20, false), (8 << 20 + 1, true)])
    func `a log of more than 8 MiB is put aside, and a new one begins`(size: Int, isNew: Bool) throws {
        let folder = try TemporaryDirectory()
        try folder.write([], to: "ferry.log")
        let path = folder.path("ferry.log")
        #expect(truncate(path, off_t(size)) == 0)
        TransferLog(folder: LocalPath(folder.path)).note("a line")
        #expect(FileManager.default.fileExists(atPath: path + ".1") == isNew)
        let length = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        #expect((try #require(length) < size) == isNew)
    }

    /// An engine has several logs of one file, and `ferry check` has another.
    @Test func `a log that another has put aside is not written to, and the new one stays`() throws {
        let folder = try TemporaryDirectory()
        let logs = [TransferLog(folder: LocalPath(folder.path)), TransferLog(folder: LocalPath(folder.path))]
        #expect(truncate(folder.path("ferry.log"), off_t(8 << 20 + 1)) == 0)
        for log in logs { log.note("a line") }
        let text = try String(contentsOfFile: folder.path("ferry.log"), encoding: .utf8)
        #expect(text.split(separator: "\n").count == 2)
        let aside =
            try FileManager.default.attributesOfItem(atPath: folder.path("ferry.log.1"))[.size] as? Int
        #expect(aside == 8 << 20 + 1)
    }
}
