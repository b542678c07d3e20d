import FerryProtocols
import FerryUploads

/// The lines that Ferry prints after the screen has closed: the numbers of uploads, and the next command.
struct ExitSummary {
    let text: String?
    let hasFailures: Bool

    /// - Parameters:
    ///   - before: The uploads in the queue that were done before the engine started. They are not counted.
    ///   - retired: The totals of the uploads that this engine finished and that have left the queue.
    init(
        _ uploads: [Upload], doneBefore before: Set<Upload.ID> = [],
        _ retired: UploadQueue.Retired = UploadQueue.Retired()
    ) {
        var (done, bytes, unfinished, failed) = (retired.count, retired.bytes, 0, 0)
        for upload in uploads {
            switch upload.state {
            case .done where before.contains(upload.id): break
            case .done:
                done += 1
                bytes = .sum(bytes, upload.size)
            case .queued, .running, .waiting, .paused: unfinished += 1
            case .held, .failed: failed += 1
            }
        }
        hasFailures = failed > 0
        var lines: [String] = []
        if done > 0 { lines.append("\(done) uploaded (\(ByteFormat.sentence(bytes)))") }
        if unfinished > 0 { lines.append("\(unfinished) unfinished; `ferry` resumes them") }
        if failed > 0 { lines.append("\(failed) failed or held; `ferry list` says why") }
        text = lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
}
