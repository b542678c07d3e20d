import FerryProtocols
import FerryUploads

/// The state of an engine, for `ferry status`.
struct EngineReport: Codable {
    var process: Int32
    var since: Date
    var status: EngineStatus
    var counts: Counts
    /// The estimated rate and remaining time of all uploads together; nil if the engine does not report them.
    var estimate: TransferEstimate?
    /// The number of clients that follow the queue: attached screens and `ferry wait`.
    var screens: Int
    var watched: [Watched]?

    /// A watched folder. The schema in `StatusLine.swift` describes the members.
    struct Watched: Codable, Equatable, Sendable {
        var folder: String
        var to: String
        var there: Bool
        var settle: Double
        var after: String
        var goal: String?
        var settling: Int
        var inUse: Int
    }

    /// The number of uploads in each state, and the number of bytes that are not sent yet.
    struct Counts: Codable, Equatable, Sendable {
        var queued = 0
        var running = 0
        var waiting = 0
        var paused = 0
        /// The number of uploads that are paused only because there is no network; nil if there are none.
        var offline: Int?
        var held = 0
        var failed = 0
        var done = 0
        /// The unsent bytes of the uploads that run or will start without a user's action, except those with a start
        /// time.
        var bytesLeft: ByteCount = 0
        /// The number of unsent bytes of all queued uploads with a start time.
        var bytesLater: ByteCount = 0

        var total: Int { queued + running + waiting + paused + held + failed + done }

        init(_ uploads: QueueTable, sent: SampledProgress = SampledProgress()) {
            uploads.visit { upload in
                count(upload.state)
                if upload.isDue { bytesLeft = .sum(bytesLeft, sent.left(of: upload)) }
                if upload.isScheduled { bytesLater = .sum(bytesLater, sent.left(of: upload)) }
            }
        }

        private mutating func count(_ state: Upload.State) {
            switch state {
            case .queued: queued += 1
            case .running: running += 1
            case .waiting: waiting += 1
            case .paused(let reasons):
                paused += 1
                if reasons == .offline { offline = (offline ?? 0) + 1 }
            case .held: held += 1
            case .failed: failed += 1
            case .done: done += 1
            }
        }
    }
}
