import FerryProtocols
import FerryStateSimulation
import Testing

@testable import FerryUploads

/// Tests which upload in the queue is found for a file that is added again.
struct DuplicateFilterTests {
    private static let failed = Upload.State.failed(UploadFailure(.permanent, "no write access", status: 403))

    /// Makes an upload. All of them have the same file and URL.
    private func upload(_ id: Upload.ID, _ state: Upload.State) -> Upload {
        let first = Upload.make(1)
        var upload = Upload.make(id, path: first.path, state: state)
        (upload.target, upload.identity) = (first.target, first.identity)
        return upload
    }

    private func known(_ uploads: Upload...) -> Upload.ID? {
        let new = upload(9, .queued)
        let same = NewUpload(path: new.path, identity: new.identity, target: new.target)
        return DuplicateFilter(uploads).upload(of: same)?.id
    }

    @Test func `one that has failed is known, for a retry sends it`() {
        #expect(known(upload(1, Self.failed)) == 1)
    }

    @Test func `an upload that is queued is found before one that has failed`() {
        #expect(known(upload(1, Self.failed), upload(2, .queued)) == 2)
    }
}
