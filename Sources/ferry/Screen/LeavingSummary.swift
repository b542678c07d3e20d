import UploadProtocols
import Uploads

/// One to three lines on the normal screen: what is done, what is left, how to go on.
struct LeavingSummary {
    let text: String?
    let hasFailures: Bool

    init(_ uploads: [Upload], _ retired: UploadQueue.Retired = UploadQueue.Retired()) {
        var (done, bytes, unfinished, failed) = (retired.count, retired.bytes, 0, 0)
        for upload in uploads {
            switch upload.state {
            case .done:
                done += 1
                bytes = bytes.addingReportingOverflow(upload.size).overflow ? .max : bytes + upload.size
            case .queued, .running, .waiting, .paused: unfinished += 1
            case .held, .failed: failed += 1
            }
        }
        hasFailures = failed > 0
        var lines: [String] = []
        if done > 0 { lines.append("\(done) uploaded (\(ByteFormat.sentence(bytes)))") }
        if unfinished > 0 { lines.append("\(unfinished) not finished; `ferry` goes on with them") }
        if failed > 0 { lines.append("\(failed) failed or held; `ferry list` says why") }
        text = lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
}
