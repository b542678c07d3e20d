import FerryFiles
import FerryProtocols
import FerryUploads

/// The state of an engine at one moment.
struct EngineReport: Codable {
    var process: Int32
    var since: Date
    var status: EngineStatus
    var counts: Counts
    /// The rate of all uploads together; nil from an engine that reports none.
    var estimate: TransferEstimate?
    /// The number of attached screens.
    var screens: Int
    /// The watched folders; absent if there are none.
    var watched: [Watched]?

    /// A folder that is watched.
    struct Watched: Codable, Equatable, Sendable {
        var folder: String
        /// The destination's name, or a URL.
        var to: String
        /// Whether the folder exists.
        var there: Bool
        /// The number of seconds for which a file must not change.
        var settle: Double
        /// The treatment of an uploaded file: `keep`, `delete` or `move`.
        var after: String
        /// The folder for moved files.
        var goal: String?
        /// The number of files that changed too recently.
        var settling: Int
        /// The number of files that a process has open for writing, or that cannot be read.
        var inUse: Int
    }

    /// The uploads by state, and the bytes left to send.
    struct Counts: Codable, Equatable, Sendable {
        var queued = 0
        var running = 0
        var waiting = 0
        var paused = 0
        /// The number of paused uploads that only wait for the network; nil if there are none.
        var offline: Int?
        var held = 0
        var failed = 0
        var done = 0
        /// The number of bytes not sent yet of due uploads.
        var bytesLeft: ByteCount = 0
        /// The number of bytes of uploads that must not start before a time.
        var bytesLater: ByteCount = 0

        init(_ uploads: some Sequence<Upload>, sent: SampledProgress = SampledProgress()) {
            for upload in uploads {
                count(upload.state)
                if upload.state == .paused(.offline) { offline = (offline ?? 0) + 1 }
                if upload.isDue { bytesLeft = .sum(bytesLeft, sent.left(of: upload)) }
                if upload.isScheduled { bytesLater = .sum(bytesLater, sent.left(of: upload)) }
            }
        }

        private mutating func count(_ state: Upload.State) {
            switch state {
            case .queued: queued += 1
            case .running: running += 1
            case .waiting: waiting += 1
            case .paused: paused += 1
            case .held: held += 1
            case .failed: failed += 1
            case .done: done += 1
            }
        }
    }
}
