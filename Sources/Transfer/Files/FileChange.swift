import Foundation
import UploadProtocols

/// In what a file differs from the version that was queued, in words.
struct FileChange {
    let queued: FileIdentity
    let found: FileIdentity
    /// True if the version that was queued had been opened: it changed under the eyes of its upload.
    let isWhileSent: Bool

    /// What the person reads.
    func failure(_ path: LocalPath) -> UploadFailure {
        UploadFailure(
            .sourceChanged,
            "\(path.text): changed \(isWhileSent ? "while it was sent" : "after it was queued"): \(difference)",
            hint: "retry uploads the file as it is now")
    }

    private var difference: String {
        if found.device != queued.device || found.inode != queued.inode {
            return "another file is there now, of \(found.size) bytes, modified \(time(found.modified))"
        }
        if found.size != queued.size {
            return "it has \(found.size) bytes and had \(queued.size), modified \(time(found.modified))"
        }
        if found.modified != queued.modified {
            return "it was modified \(time(found.modified)), and before that \(time(queued.modified))"
        }
        // Nobody can say which: a time that is set back after a write looks like a new mode.
        return "size and modification time are as before, but its mode, owner, name or times were set "
            + time(found.changed)
    }

    private func time(_ nanoseconds: Int64) -> String {
        let date = Date(timeIntervalSince1970: Double(nanoseconds) / 1e9)
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
