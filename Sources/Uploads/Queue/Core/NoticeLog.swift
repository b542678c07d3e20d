/// The latest events from outside the queue, such as of a watched folder.
struct NoticeLog {
    /// The number of notices that later followers receive.
    private static let kept = 10

    /// The notices with their numbers, which give their sequence: they may arrive in another one.
    private var notices: [(number: Int, notice: DatedNotice)] = []
    /// The missing watched folders, as they are displayed.
    var awayFolders: [String] = []

    /// The notices in sequence.
    var all: [DatedNotice] { notices.map(\.notice) }

    mutating func add(_ notice: DatedNotice, number: Int) {
        notices = (notices + [(number, notice)]).sorted { $0.number < $1.number }.suffix(Self.kept)
    }
}
