/// A queued upload that cannot start until a user acts, because it waits for one that has failed, is held, was paused
/// by a user or is blocked too.
package struct BlockedUpload: Equatable, Sendable {
    package let upload: Upload
    /// The upload that must be done before `upload` can start.
    package let blocker: Upload

    /// Returns the blocked uploads among `uploads`, in ascending order of ids.
    package static func all(among uploads: some Sequence<Upload>) -> [BlockedUpload] {
        // An upload waits only for lower ids, so those are decided when it is visited.
        let waiting = uploads.filter { $0.state == .queued && $0.start?.after.isEmpty == false }
            .sorted { $0.id < $1.id }
        guard !waiting.isEmpty else { return [] }
        var ends = Dictionary(uniqueKeysWithValues: uploads.filter(\.needsUser).map { ($0.id, $0) })
        let ended = ends.keys.sorted()
        var blocked: [BlockedUpload] = []
        var blockedIDs: [Upload.ID] = []
        for upload in waiting {
            let blocker = upload.start?.after.lazy.compactMap { range in
                UploadNumbers.first(in: range, of: ended) ?? UploadNumbers.first(in: range, of: blockedIDs)
            }.first
            guard let blocker, let other = ends[blocker] else { continue }
            blocked.append(BlockedUpload(upload: upload, blocker: other))
            blockedIDs.append(upload.id)
            ends[upload.id] = upload
        }
        return blocked
    }

    /// The reason why `upload` cannot start, as the end of a sentence: `waits for 7, which failed`.
    package var sentence: String {
        let reason =
            switch blocker.state {
            case .failed: "failed"
            case .held: "is held"
            case .paused: "is paused"
            case .queued, .running, .waiting, .done: "does not start"
            }
        return "waits for \(blocker.id), which \(reason)"
    }
}

extension Upload {
    /// True if the upload failed, is held, or was paused by the user.
    fileprivate var needsUser: Bool { state.ending != nil || state.isPausedByUser }
}

extension Upload.StartCondition {
    private static let rangesShown = 3

    /// Returns the condition in words, such as `after 12, 14 to 16` or `after 12, not before 22:00`, with at most three
    /// ranges. `moment` returns a date as text.
    package func words(_ moment: (Date) -> String) -> String {
        var parts: [String] = []
        if !after.isEmpty {
            let ranges = after.prefix(Self.rangesShown).map(UploadNumbers.name)
            parts.append("after \(ranges.joined(separator: ", "))\(after.count > ranges.count ? ", …" : "")")
        }
        if let notBefore { parts.append("\(after.isEmpty ? "at" : "not before") \(moment(notBefore))") }
        return parts.joined(separator: ", ")
    }
}
