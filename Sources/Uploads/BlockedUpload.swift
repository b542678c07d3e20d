import FerryFiles

/// An upload that does not start by itself: an upload before it in the chain has ended without being done, or is
/// blocked too.
package struct BlockedUpload: Equatable, Sendable {
    package let upload: Upload
    /// The upload that it waits for.
    package let blocker: Upload

    /// Returns the blocked uploads, sorted by number.
    package static func all(among uploads: some Sequence<Upload>) -> [BlockedUpload] {
        // An upload waits only for earlier ones, so each is visited after the uploads that it waits for.
        let waiting = uploads.filter { $0.state == .queued && $0.start?.after.isEmpty == false }
            .sorted { $0.id < $1.id }
        guard !waiting.isEmpty else { return [] }
        var ends = Dictionary(uniqueKeysWithValues: uploads.filter(\.needsSomebody).map { ($0.id, $0) })
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

    /// The upload's wait as a sentence; its number stands before it.
    package var sentence: String {
        let fate =
            switch blocker.state {
            case .failed: "failed"
            case .held: "is held"
            case .paused: "is paused"
            case .queued, .running, .waiting, .done: "does not start"
            }
        return "waits for \(blocker.id), which \(fate)"
    }
}

extension Upload {
    /// True if the upload stays as it is until a user acts.
    fileprivate var needsSomebody: Bool {
        switch state {
        case .failed, .held: true
        case .paused(let reasons): reasons.contains(.user)
        case .queued, .running, .waiting, .done: false
        }
    }
}

extension Upload.StartCondition {
    private static let rangesShown = 3

    /// The conditions in words: `after 12, 14 to 16`, `at 22:00`, `after 12, not before 22:00`.
    ///
    /// - Parameter moment: Formats a moment.
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
