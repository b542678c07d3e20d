import FerryProtocols
import FerryTestSupport
import FerryUploads
import Foundation
import Testing

/// Tests which event follows from two states of an upload.
struct UploadEventTests {
    private static let offline = Upload.State.paused(.offline)
    private static let paused = Upload.State.paused(.user)

    private static func waiting(_ seconds: Double) -> Upload.State {
        .waiting(
            until: Date(timeIntervalSince1970: seconds),
            failure: UploadFailure(.server, "busy", status: 503))
    }

    @Test(
        arguments: [
            (.queued, .running, .began), (.running, .done, .done), (.running, .failed, .failed),
            (.running, waiting(5), .waits), (.running, paused, .paused), (paused, .queued, .resumed),
            (paused, .running, .resumed),
            (.failed, .queued, .queuedAgain), (.held, .queued, .queuedAgain), (.queued, .held, .held),
            (paused, offline, .resumed), (.running, offline, .offline), (offline, paused, .paused),
            (.running, .queued, nil), (waiting(5), .queued, nil), (offline, .queued, nil),
            (.queued, .queued, nil), (paused, .paused([.user, .offline]), nil),
        ] as [(Upload.State, Upload.State, UploadEvent.Kind?)])
    func `a change of state is reported once`(old: Upload.State, new: Upload.State, kind: UploadEvent.Kind?) {
        let found = UploadEvent.Kind(from: .boxed(1, old), to: .boxed(1, new), isOffline: false)
        #expect(found == kind)
    }

    @Test func `a single upload does not report a network loss that is already known`() {
        let old = Upload.boxed(1, .running)
        #expect(UploadEvent.Kind(from: old, to: .boxed(1, Self.offline), isOffline: true) == nil)
    }

    @Test func `a wait with a slightly different end is no new wait`() {
        let old = Upload.boxed(1, Self.waiting(5))
        #expect(UploadEvent.Kind(from: old, to: .boxed(1, Self.waiting(5.25)), isOffline: false) == nil)
        var again = Upload.boxed(1, Self.waiting(9))
        again.tries.attempts = 2
        #expect(UploadEvent.Kind(from: old, to: again, isOffline: false) == .waits)
    }

    @Test func `an upload with bytes on the server is reported as resumed, not as begun`() {
        let old = Upload.boxed(1)
        var new = Upload.boxed(1, .running)
        new.resource = UploadResource(url: "https://box.example/1", confirmed: 400)
        #expect(UploadEvent.Kind(from: old, to: new, isOffline: false) == .continued)
    }
}
