import FerryFiles
import FerryProtocols

/// The done uploads in the sequence in which they finished, and those that left the queue for the history.
struct Archive {
    /// The number of done uploads above the configured one that may stay in the queue before some leave.
    static let slack = 100
    /// The number of uploads that leave with one record.
    private static let batch = 500

    /// The uploads in the sequence in which they finished; some may have been removed since.
    private(set) var finished: [Upload.ID] = []
    /// The number of uploads, from the first, that were done before this engine started.
    private var inherited = 0
    /// The uploads that had failed or were held when the engine started.
    private(set) var failedBefore: Set<Upload.ID> = []
    /// The uploads that this engine finished and that only the history still contains.
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

    /// The uploads that were done before the engine started, and were not repeated since.
    var doneBefore: Set<Upload.ID> {
        Set(finished.prefix(inherited)).subtracting(finished.dropFirst(inherited))
    }

    /// Notes uploads that are done, with their end on disk.
    mutating func finish(_ ids: some Sequence<Upload.ID>) { finished += ids }

    /// True if the queue contains more than `kept` plus `slack`.
    func isFull(keeping kept: Int, slack: Int) -> Bool { finished.count > kept + slack }

    /// The oldest uploads, which leave next; nil if there are not too many.
    func leaving(keeping kept: Int) -> ArraySlice<Upload.ID>? {
        finished.count > kept ? finished.prefix(min(finished.count - kept, Self.batch)) : nil
    }

    /// Removes the `count` uploads that finished first, because they have left the queue for the history.
    ///
    /// - Parameter gone: The uploads among them that were in the queue until now.
    mutating func retire(_ count: Int, gone: [Upload]) {
        // The uploads of an earlier engine are the oldest.
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
