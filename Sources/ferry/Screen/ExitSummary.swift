import FerryProtocols
import FerryUploads

/// The lines that Ferry prints after the screen has closed: the numbers of uploads, and the next command.
struct ExitSummary {
    let text: String?
    let hasFailures: Bool

    /// - Parameters:
    ///   - before: The uploads that were done before the engine started, which are not counted.
    ///   - isDemo: True for the queue of a demo, which is removed.
    init(
        _ uploads: [Upload], doneBefore before: Set<Upload.ID> = [],
        _ retired: UploadQueue.Retired = UploadQueue.Retired(), isDemo: Bool = false
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
        if isDemo { lines.append("the demo's files are removed") }
        if unfinished > 0, !isDemo { lines.append("\(unfinished) unfinished; `ferry` resumes them") }
        if failed > 0, !isDemo {
            lines.append("\(failed) failed or held; `ferry list --long --state failed,held` says why")
        }
        text = lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
}
