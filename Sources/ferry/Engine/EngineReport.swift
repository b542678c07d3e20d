import FerryFiles
import FerryProtocols
import FerryUploads

/// The state of an engine at one moment.
struct EngineReport: Codable {
    var process: Int32
    var since: Date
    var status: EngineStatus
    var counts: Counts
    /// The rate of all uploads together; nil from an engine that tells none.
    var estimate: TransferEstimate?
    /// Screens that are attached.
    var screens: Int
    /// Absent if no folder is watched.
    var watched: [Watched]?

    /// A folder that is watched.
    struct Watched: Codable, Equatable {
        var folder: String
        /// A destination's name, or an address.
        var to: String
        /// Whether it is there.
        var there: Bool
        /// Seconds for which a file must not change.
        var settle: Double
        /// The treatment of a file that has been uploaded: `keep`, `delete` or `move`.
        var after: String
        /// The folder that it is moved into.
        var goal: String?
        /// Files that have not kept still for long enough.
        var settling: Int
        /// Files that somebody has open to write to them, or that cannot be read.
        var inUse: Int
    }

    /// Uploads by state, and what is left to send.
    struct Counts: Codable, Equatable {
        var queued = 0
        var running = 0
        var waiting = 0
        var paused = 0
        /// The number of paused uploads that only wait for the network; nil if there are none.
        var offline: Int?
        var held = 0
        var failed = 0
        var done = 0
        /// Bytes not sent yet of what goes on by itself and waits for no time.
        var bytesLeft: ByteCount = 0
        /// Bytes of what is not to start before a time.
        var bytesLater: ByteCount = 0

        init(_ uploads: some Sequence<Upload>, sent: SampledProgress = SampledProgress()) {
            for upload in uploads {
                count(upload.state)
                if upload.state == .paused(.offline) { offline = (offline ?? 0) + 1 }
                if upload.isDue { Self.add(sent.left(of: upload), to: &bytesLeft) }
                if upload.isScheduled { Self.add(sent.left(of: upload), to: &bytesLater) }
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

        private static func add(_ bytes: ByteCount, to sum: inout ByteCount) {
            let (total, overflow) = sum.addingReportingOverflow(bytes)
            sum = overflow ? .max : total
        }
    }
}
