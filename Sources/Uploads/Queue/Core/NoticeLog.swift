/// The latest notices to users that come from other parts of the engine than the queue, such as those about watched
/// folders.
struct NoticeLog {
    /// The maximum number of stored notices. Each client receives the stored notices when it connects.
    private static let kept = 10

    /// The stored notices, sorted by number. `add` sorts them, because a notice can arrive after one with a higher
    /// number.
    private var notices: [(number: Int, notice: DatedNotice)] = []
    /// The paths of the missing watched folders, for display.
    var awayFolders: [String] = []

    var all: [DatedNotice] { notices.map(\.notice) }

    mutating func add(_ notice: DatedNotice, number: Int) {
        notices = (notices + [(number, notice)]).sorted { $0.number < $1.number }.suffix(Self.kept)
    }
}
