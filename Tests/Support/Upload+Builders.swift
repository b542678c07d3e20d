import FerryProtocols
import FerryTransfer
package import FerryUploads
import Foundation

extension Upload {
    /// Makes an upload to the destination "box".
    package static func boxed(_ id: Upload.ID, _ state: State = .queued, attempts: Int = 0) -> Upload {
        var upload = Upload(
            id: id, rank: Int64(id), path: LocalPath("/out/\(id)"),
            identity: FileIdentity(device: 1, inode: UInt64(id), size: 10, modified: 0, changed: 0),
            target: Target(
                destination: "box", url: "https://box.example/", protocolName: "put", name: "\(id)"),
            state: state, added: Date(timeIntervalSince1970: 0))
        upload.tries.attempts = attempts
        return upload
    }
}

extension Upload.State {
    package static let running = Upload.State.running(attempt: 1, since: Date(timeIntervalSince1970: 0))
    package static let done = Upload.State.done(Receipt(), at: Date(timeIntervalSince1970: 0))
    package static let failed = Upload.State.failed(UploadFailure(.permanent, "no write access", status: 403))
    package static let held = Upload.State.held(UploadFailure(.sourceChanged, "edited while queued"))
    package static let waiting = Upload.State.waiting(
        until: Date(timeIntervalSince1970: 9), failure: UploadFailure(.server, "busy", status: 503))
}

extension UploadEvent {
    package static func ended(_ kind: Kind, _ upload: Upload) -> UploadEvent {
        UploadEvent(kind, upload, date: Date(timeIntervalSince1970: 0))
    }
}

extension QueueUpdate {
    package static func whole(_ uploads: [Upload], status: EngineStatus = EngineStatus()) -> QueueUpdate {
        QueueUpdate(isComplete: true, changed: uploads, removed: [], status: status)
    }

    package static func change(
        _ uploads: [Upload] = [], removed: [Upload.ID] = [], status: EngineStatus = EngineStatus()
    ) -> QueueUpdate {
        QueueUpdate(isComplete: false, changed: uploads, removed: removed, status: status)
    }
}
