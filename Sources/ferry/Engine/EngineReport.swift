import Foundation
import UploadProtocols
import Uploads

/// What an engine is and does at one moment.
struct EngineReport: Codable {
    var process: Int32
    var since: Date
    var status: EngineStatus
    var counts: Counts
    /// Screens that are attached.
    var screens: Int

    /// Uploads by state, and what is left of those that go on by themselves.
    struct Counts: Codable, Equatable {
        var queued = 0
        var running = 0
        var waiting = 0
        var paused = 0
        var held = 0
        var failed = 0
        var done = 0
        /// Bytes that the servers do not hold yet.
        var bytesLeft: ByteCount = 0

        init(_ uploads: some Sequence<Upload>) {
            for upload in uploads { count(upload) }
        }

        private mutating func count(_ upload: Upload) {
            switch upload.state {
            case .queued: queued += 1
            case .running: running += 1
            case .waiting: waiting += 1
            case .paused: paused += 1
            case .held: held += 1
            case .failed: failed += 1
            case .done: done += 1
            }
            switch upload.state {
            case .queued, .running, .waiting, .paused(.offline):
                let (sum, overflow) = bytesLeft.addingReportingOverflow(
                    max(0, upload.size - upload.confirmed))
                bytesLeft = overflow ? .max : sum
            case .paused, .held, .failed, .done: break
            }
        }
    }
}
