import FerryFiles
import FerryProtocols

/// The uploads that are done, in the order in which they were finished, and what of them left the queue for the history.
struct Archive {
    /// Done uploads that are in the queue beyond the number that is kept, before some of them leave.
    static let slack = 100
    /// Uploads that leave with one record.
    private static let batch = 500

    /// The uploads in the order in which they were finished; some may have been removed since.
    private(set) var finished: [Upload.ID] = []
    /// The first so many of them were done before this engine started.
    private var inherited = 0
    /// The uploads that had failed or were held when the engine started.
    private(set) var failedBefore: Set<Upload.ID> = []
    /// The uploads that this engine finished and that are in the history alone.
    private(set) var retired = UploadQueue.Retired()

    init() {}

    /// - Parameter uploads: What the queue holds when the engine starts.
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

    /// The uploads that were done before the engine started, and not again since.
    var doneBefore: Set<Upload.ID> {
        Set(finished.prefix(inherited)).subtracting(finished.dropFirst(inherited))
    }

    /// Notes uploads that are done, on disk too.
    mutating func finish(_ ids: some Sequence<Upload.ID>) { finished += ids }

    /// True if more than `kept` and some more are in the queue.
    func isFull(keeping kept: Int, slack: Int) -> Bool { finished.count > kept + slack }

    /// The oldest, which leave next; nil if none are too many.
    func leaving(keeping kept: Int) -> ArraySlice<Upload.ID>? {
        finished.count > kept ? finished.prefix(min(finished.count - kept, Self.batch)) : nil
    }

    /// Notes that the `count` oldest have left.
    ///
    /// - Parameter gone: Those of them that were still in the queue.
    mutating func retire(_ count: Int, gone: [Upload]) {
        // Those of an earlier engine are the oldest.
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
