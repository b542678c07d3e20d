/// The latest notices to users from outside of the queue, such as those about watched folders.
struct NoticeLog {
    private static let kept = 10

    /// The notices, sorted by number: one can arrive after one with a higher number.
    private var notices: [(number: Int, notice: DatedNotice)] = []
    var awayFolders: [String] = []

    var all: [DatedNotice] { notices.map(\.notice) }

    mutating func add(_ notice: DatedNotice, number: Int) {
        notices = (notices + [(number, notice)]).sorted { $0.number < $1.number }.suffix(Self.kept)
    }
}
