import FerryProtocols

/// A change of a file since it was queued, and its description for users.
struct FileChange {
    let queued: FileIdentity
    let found: FileIdentity
    /// True if the attempt opened the queued version, so the file changed during its upload and not before.
    let isWhileSent: Bool

    func failure(_ path: LocalPath) -> UploadFailure {
        UploadFailure(
            .sourceChanged,
            "\(path.text): \(what) \(isWhileSent ? "while it was sent" : "while queued"): \(difference)",
            hint: "retry sends it as it is now")
    }

    private var isAnother: Bool { found.device != queued.device || found.inode != queued.inode }

    private var what: String {
        isAnother
            ? "replaced"
            : found.size != queued.size || found.modified != queued.modified ? "edited" : "changed"
    }

    private var difference: String {
        if found.size != queued.size { return sizes }
        if isAnother {
            return
                "another file of \(ByteFormat.sentence(found.size)) is there now, modified \(time(found.modified))"
        }
        if found.modified != queued.modified {
            return "same size, but modified \(time(found.modified)), and before that \(time(queued.modified))"
        }
        // A write whose modification time was then set back looks the same as a change of the mode.
        return "size and modification time are as before, but its mode, owner, name or times were set "
            + time(found.changed)
    }

    /// The old and the new size as text: `was 48 MiB, is 11 B now`, or `was 48 MiB, has 11 B more now`.
    private var sizes: String {
        let (before, now) = (ByteFormat.sentence(queued.size), ByteFormat.sentence(found.size))
        guard before == now else { return "was \(before), is \(now) now" }
        let change = ByteFormat.sentence((found.size &- queued.size).magnitude)
        return "was \(before), has \(change) \(found.size > queued.size ? "more" : "less") now"
    }

    private func time(_ nanoseconds: Int64) -> String {
        let date = Date(timeIntervalSince1970: Double(nanoseconds) / 1e9)
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
