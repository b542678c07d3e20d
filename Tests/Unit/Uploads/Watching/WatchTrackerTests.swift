import FerryProtocols
import FerryTestSupport
import FerryTransfer
import Testing

@testable import FerryUploads

/// Tests what follows from changes of uploads whose files came from a watched folder.
struct WatchTrackerTests {
    private static let receipt = Receipt()

    private func note(_ upload: Upload, _ disposition: WatchNote.Disposition) -> WatchNote {
        WatchNote(path: upload.path, to: "box", identity: upload.identity, disposition: disposition)
    }

    private func tracker(of upload: Upload) -> WatchTracker {
        WatchTracker([note(upload, .queued(upload.id))])
    }

    @Test func `a version that is uploaded is finished with`() {
        let upload = Upload.boxed(1, .done)
        var tracker = tracker(of: upload)
        #expect(tracker.take(upload, note(upload, .queued(1))) == [.finish(Self.receipt)])
    }

    @Test func `an upload of a version that is not wanted any more asks for nothing when it is done`() {
        let upload = Upload.boxed(1, .done)
        var tracker = tracker(of: upload)
        #expect(tracker.take(upload, note(upload, .over)) == [])
    }

    @Test func `the version that waited is looked at before the one before it is finished with`() {
        let upload = Upload.boxed(1, .done)
        var tracker = tracker(of: upload)
        tracker.supersede(1, upload.path)
        #expect(tracker.take(upload, note(upload, .queued(1))) == [.lookAgain, .finish(Self.receipt)])
        #expect(tracker.take(upload, note(upload, .queued(1))) == [.finish(Self.receipt)])
    }

    @Test func `a file that changed is looked at again, once`() {
        let upload = Upload.boxed(1, .held)
        var tracker = tracker(of: upload)
        #expect(tracker.take(upload, note(upload, .queued(1))) == [.lookAgain])
        #expect(tracker.take(upload, note(upload, .queued(1))) == [])
    }

    @Test func `a file that changed again after its upload was retried is looked at again`() {
        let held = Upload.boxed(1, .held)
        var tracker = tracker(of: held)
        _ = tracker.take(held, note(held, .queued(1)))
        #expect(tracker.take(.boxed(1), note(held, .queued(1))) == [])
        #expect(tracker.take(held, note(held, .queued(1))) == [.lookAgain])
    }

    @Test func `a refusal of the server is no reason to look at the file`() {
        let upload = Upload.boxed(1, .failed)
        var tracker = tracker(of: upload)
        #expect(tracker.take(upload, note(upload, .queued(1))) == [])
    }

    @Test func `a removed upload that is put back is wanted again`() {
        let upload = Upload.boxed(1)
        var tracker = tracker(of: upload)
        #expect(tracker.take(upload, note(upload, .over)) == [.reopen])
    }

    @Test func `a file is taken away once at a time, and not while it is written to`() {
        let path = LocalPath("/out/1")
        var tracker = WatchTracker([])
        tracker.removals[path] = 0
        #expect(!tracker.canRemove(path))
        tracker.removals[path] = nil
        tracker.postponed.insert(path)
        #expect(!tracker.canRemove(path))
        tracker.postponed.remove(path)
        #expect(tracker.canRemove(path))
    }

    @Test func `files that an engine before was about to add are ours`() {
        let upload = Upload.boxed(1)
        let tracker = WatchTracker([note(upload, .adding)])
        #expect(tracker.interrupted.contains(upload.path))
        #expect(tracker.paths.isEmpty)
    }
}
