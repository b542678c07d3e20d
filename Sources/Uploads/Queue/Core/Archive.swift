import FerryFiles
import FerryProtocols

/// The done uploads of the queue, in the sequence in which they finished. The archive also counts the done uploads that
/// have moved to the history.
struct Archive {
    /// The number of done uploads beyond the setting `keptDone` that can stay in the queue. Above this number, the
    /// queue moves its oldest done uploads to the history.
    static let slack = 100
    /// The maximum number of done uploads that move from the queue to the history in one step.
    private static let batch = 500

    /// The ids of the done uploads, in the sequence in which they finished. Uploads that users removed afterwards are
    /// still in this list.
    private(set) var finished: [Upload.ID] = []
    /// The number of uploads at the beginning of `finished` that were done before this engine started.
    private var inherited = 0
    /// The uploads that had failed or were held when the engine started.
    private(set) var failedBefore: Set<Upload.ID> = []
    private(set) var retired = UploadQueue.Retired()

    init() {}

    /// - Parameter uploads: The uploads of the queue when the engine starts.
    init(_ uploads: some Sequence<Upload>) {
        var done: [(id: Upload.ID, at: Date)] = []
        for upload in uploads {
            if upload.state.ending != nil { failedBefore.insert(upload.id) }
            if case .done(_, let date) = upload.state { done.append((upload.id, date)) }
        }
        finished = done.sorted { ($0.at, $0.id) < ($1.at, $1.id) }.map(\.id)
        inherited = finished.count
    }

    /// The uploads that were done when the engine started. An upload that was sent again and has finished again is left
    /// out.
    var doneBefore: Set<Upload.ID> {
        Set(finished.prefix(inherited)).subtracting(finished.dropFirst(inherited))
    }

    /// Adds uploads to `finished`. The journal must have stored their state `done` before.
    mutating func finish(_ ids: some Sequence<Upload.ID>) { finished += ids }

    func isFull(keeping kept: Int, slack: Int) -> Bool { finished.count > kept + slack }

    /// Returns the uploads that move to the history next. These are the done uploads beyond the number `kept`,
    /// beginning with the first finished one, and at most 500 (`batch`). Returns nil if there are none.
    func leaving(keeping kept: Int) -> ArraySlice<Upload.ID>? {
        finished.count > kept ? finished.prefix(min(finished.count - kept, Self.batch)) : nil
    }

    /// Removes the `count` uploads that finished first from `finished`, because they have moved to the history. Adds
    /// the uploads of `gone` to `retired` if they finished while this engine ran.
    ///
    /// - Parameter gone: The uploads among these `count` that were still in the queue. Users had removed the rest.
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
