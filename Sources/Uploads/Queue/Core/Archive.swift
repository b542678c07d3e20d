import FerryFiles
import FerryProtocols

/// The done uploads in the sequence in which they finished, and the totals of those that have left the queue.
struct Archive {
    /// The number by which the done uploads can exceed the setting `keptDone` before the queue moves some to the
    /// history.
    static let slack = 100
    /// The maximum number of uploads that move to the history with one journal record.
    private static let batch = 500

    /// The done uploads in the sequence in which they finished. Users have possibly removed some of them since.
    private(set) var finished: [Upload.ID] = []
    /// The number of uploads at the beginning of `finished` that were done before this engine started.
    private var inherited = 0
    /// The uploads that had failed or were held when the engine started.
    private(set) var failedBefore: Set<Upload.ID> = []
    /// The totals of the uploads that this engine finished and that only the history still contains.
    private(set) var retired = UploadQueue.Retired()

    init() {}

    /// - Parameter uploads: The uploads of the queue when the engine starts.
    init(_ uploads: some Sequence<Upload>) {
        var done: [(id: Upload.ID, at: Date)] = []
        for upload in uploads {
            switch upload.state {
            case .failed, .held: failedBefore.insert(upload.id)
            case .done(_, let date): done.append((upload.id, date))
            case .queued, .running, .waiting, .paused: break
            }
        }
        finished = done.sorted { ($0.at, $0.id) < ($1.at, $1.id) }.map(\.id)
        inherited = finished.count
    }

    /// The uploads that were done before the engine started, and have not finished again since.
    var doneBefore: Set<Upload.ID> {
        Set(finished.prefix(inherited)).subtracting(finished.dropFirst(inherited))
    }

    /// Adds uploads whose state `done` is on disk.
    mutating func finish(_ ids: some Sequence<Upload.ID>) { finished += ids }

    /// True if `finished` contains more than `kept` plus `slack` uploads.
    func isFull(keeping kept: Int, slack: Int) -> Bool { finished.count > kept + slack }

    /// Returns the uploads that leave the queue next: those that finished first, until `kept` done uploads remain, but
    /// at most `batch` at a time. Returns nil if there are none.
    func leaving(keeping kept: Int) -> ArraySlice<Upload.ID>? {
        finished.count > kept ? finished.prefix(min(finished.count - kept, Self.batch)) : nil
    }

    /// Removes the `count` uploads that finished first, because they have left the queue for the history.
    ///
    /// - Parameter gone: The uploads among them that no user had removed from the queue before.
    mutating func retire(_ count: Int, gone: [Upload]) {
        // The uploads that were done before this engine started are the oldest. `retired` does not count them.
        let earlier = min(inherited, count)
        let known = Set(finished.prefix(earlier))
        for upload in gone where !known.contains(upload.id) {
            retired.count += 1
            let (sum, overflow) = retired.bytes.addingReportingOverflow(upload.size)
            retired.bytes = overflow ? .max : sum
        }
        inherited -= earlier
        finished.removeFirst(count)
    }
}
