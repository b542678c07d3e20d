/// The part of a queue that can be read from its files, with the error that Ferry would report if it started now.
package struct StateReading: Sendable {
    /// The queue that Ferry would load if it started now. If files are damaged, this is the part that can be read.
    package let recovered: Recovered
    /// The error that Ferry would report if it started now. A valid edit of the snapshot is none here.
    package let problem: JournalError?
    /// The number of records that are missing in `recovered` because only a newer version of Ferry understands them.
    package let notUnderstood: Int
    let header: SnapshotHeader
    let unknown: UnknownContent

    /// Passes the whole queue to `take`, in chunks of the text of a new `queue.json`.
    package func export(_ take: @escaping @Sendable ([UInt8]) -> Void) throws(JournalError) {
        var header = header
        // The export starts a new queue in an empty folder, so its numbers are those of a new queue.
        (header.generation, header.lastSequence) = (1, 0)
        header.settings = recovered.settings
        var writer = SnapshotWriter(
            header, savedAt: Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down)),
            to: take)
        for upload in recovered.uploads {
            try writer.append { $0.upload(upload, unknown: unknown.uploads[upload.id]) }
        }
        _ = try writer.finish()
    }
}

/// The result of checking all files of a queue.
package struct StateReport: Sendable {
    package struct File: Hashable, Sendable {
        package let name: String
        package let bytes: Int
    }

    package internal(set) var files: [File] = []
    /// The files that crashes and repairs left behind; no program needs them.
    package internal(set) var leftOver: [File] = []
    /// The generation of the snapshot that Ferry would load now; nil if it would fail, or if there is no queue.
    package internal(set) var generation: Int?
    /// The number of bytes of journal records whose changes the snapshot does not contain yet.
    package internal(set) var pendingBytes = 0
    package internal(set) var states: [String: Int] = [:]
    /// The notices to users that Ferry would make if it started now, for example about repairs.
    package internal(set) var notices: [RecoveryNotice] = []
    /// The problems of the files, such as damage or an edit by a user. Each is one sentence without a final period.
    package internal(set) var problems: [String] = []
    /// The next step for the user if Ferry would fail to start with this queue; else nil.
    package internal(set) var hint: String?
    package internal(set) var holder: JournalError?
}
