/// The newest of what happened beside the queue, as in a watched folder.
struct NoticeLog {
    /// Notices that are told to those who come later.
    private static let kept = 10

    /// The notices by their numbers, which tell their order: they may arrive in another one.
    private var notices: [(number: Int, notice: DatedNotice)] = []
    /// The watched folders that are not there, as they are shown to people.
    var awayFolders: [String] = []

    /// The notices in the order in which they were told.
    var all: [DatedNotice] { notices.map(\.notice) }

    mutating func add(_ notice: DatedNotice, number: Int) {
        notices = (notices + [(number, notice)]).sorted { $0.number < $1.number }.suffix(Self.kept)
    }
}
