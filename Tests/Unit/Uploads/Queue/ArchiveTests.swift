import FerryProtocols
import FerryStateSimulation
import Foundation
import Testing

@testable import FerryUploads

struct ArchiveTests {
    private static func done(_ id: Upload.ID, at seconds: Double) -> Upload {
        .make(id, state: .done(Receipt(bytes: 1), at: Date(timeIntervalSince1970: seconds)))
    }

    private var archive = Archive([
        done(1, at: 20), done(2, at: 10), .make(3, state: .failed(UploadFailure(.permanent, "no"))), .make(4),
    ])

    @Test func `uploads that were done before are in the order in which they finished`() {
        #expect(archive.finished == [2, 1])
        #expect(archive.doneBefore == [1, 2])
        #expect(archive.failedBefore == [3])
    }

    @Test mutating func `an upload that is done again does not count as done before`() {
        archive.finish([2])
        #expect(archive.doneBefore == [1])
    }

    @Test mutating func `the oldest leave first`() {
        archive.finish([4])
        #expect(archive.leaving(keeping: 1) == [2, 1])
        #expect(archive.leaving(keeping: 3) == nil)
    }

    @Test mutating func `only what this engine finished is counted as retired`() {
        archive.finish([4])
        archive.countRetired([Self.done(2, at: 10), Self.done(1, at: 20), Self.done(4, at: 30)])
        #expect(archive.retired.count == 1)
        archive.retire(3)
        #expect(archive.finished.isEmpty)
    }
}
