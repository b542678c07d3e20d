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
}
