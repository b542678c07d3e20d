/// The latest notices from outside the queue, such as those about watched folders.
struct NoticeLog {
    /// The maximum number of stored notices, which clients receive when they connect.
    private static let kept = 10

    /// The notices, sorted by number. They can arrive in another sequence than that of their numbers.
    private var notices: [(number: Int, notice: DatedNotice)] = []
    /// The paths of the missing watched folders, for display.
    var awayFolders: [String] = []

    var all: [DatedNotice] { notices.map(\.notice) }

    mutating func add(_ notice: DatedNotice, number: Int) {
        notices = (notices + [(number, notice)]).sorted { $0.number < $1.number }.suffix(Self.kept)
    }
}
