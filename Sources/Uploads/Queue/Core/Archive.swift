import FerryProtocols

/// The done uploads of the queue as they finished, and the number of those that have moved to the history.
struct Archive {
    /// The number of done uploads beyond `keptDone` above which the oldest move to the history.
    static let slack = 100
    private static let batch = 500

    /// The ids of the done uploads as they finished, even of those that users removed afterwards.
    private(set) var finished: [Upload.ID] = []
    /// The number of uploads at the beginning of `finished` that were done before this engine started.
    private var inherited = 0
    private(set) var failedBefore: Set<Upload.ID> = []
    private(set) var retired = UploadQueue.Retired()

    init() {}

    init(_ uploads: some Sequence<Upload>) {
        var done: [(id: Upload.ID, at: Date)] = []
        for upload in uploads {
            if upload.state.ending != nil { failedBefore.insert(upload.id) }
            if case .done(_, let date) = upload.state { done.append((upload.id, date)) }
        }
        finished = done.sorted { ($0.at, $0.id) < ($1.at, $1.id) }.map(\.id)
        inherited = finished.count
    }

    /// The uploads that were done when the engine started, without those that finished again.
    var doneBefore: Set<Upload.ID> {
        Set(finished.prefix(inherited)).subtracting(finished.dropFirst(inherited))
    }

    /// Adds uploads to `finished`. The journal must have stored their state `done` before.
    mutating func finish(_ ids: some Sequence<Upload.ID>) { finished += ids }

    /// Returns the uploads that move to the history next: the first finished ones beyond the number `kept`.
    func leaving(keeping kept: Int) -> ArraySlice<Upload.ID>? {
        finished.count > kept ? finished.prefix(min(finished.count - kept, Self.batch)) : nil
    }

    /// Counts uploads that have just left the queue, because the history has them. The uploads that were done before
    /// this engine started are the oldest, and are not counted.
    mutating func countRetired(_ gone: [Upload]) {
        let known = Set(finished.prefix(inherited))
        for upload in gone where !known.contains(upload.id) {
            retired.count += 1
            let (sum, overflow) = retired.bytes.addingReportingOverflow(upload.size)
            retired.bytes = overflow ? .max : sum
        }
    }

    /// Removes the `count` uploads that finished first, because they have moved to the history.
    mutating func retire(_ count: Int) {
        inherited -= min(inherited, count)
        finished.removeFirst(count)
    }
}
