import FerryStateSimulation
import FerryTransfer
import Testing

@testable import FerryUploads

/// Tests the names of a file on this machine and at the server.
struct UploadNameTests {
    @Test(arguments: [
        ("/data/a.bin", "a.bin", false), ("/data/day/a.bin", "day/a.bin", false),
        ("/data/a.bin", "b.bin", true),
        ("/data/a.bin", "day/a.bin", true), ("/data/a.bin", "bin", true),
    ])
    func `a file is renamed if its path does not end in the name that it gets`(
        path: String, name: String, isRenamed: Bool
    ) {
        var upload = Upload.make(path: LocalPath(path))
        upload.target.name = name
        #expect(upload.isRenamed == isRenamed)
    }

    @Test func `a target without a destination is shown with its address`() {
        var target = Upload.make().target
        #expect(target.destinationText == "photos")
        target.destination = ""
        #expect(target.destinationText == "https://example.com/files")
    }
}
