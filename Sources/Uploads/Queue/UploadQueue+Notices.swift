import Synchronization

extension UploadQueue {
    /// Notices that are told to those who come later.
    private static let keptNotices = 10

    /// Tells all who follow the queue something that happened beside it, as in a watched folder.
    public nonisolated func tell(_ notice: Notice) {
        let number = lastNotice.add(1, ordering: .relaxed).newValue
        let dated = DatedNotice(notice, at: clock.date())
        Task(executorPreference: surroundings.executor) { await self.take(number, dated) }
    }

    private func take(_ number: Int, _ notice: DatedNotice) {
        notices = (notices + [(number, notice)]).sorted { $0.number < $1.number }.suffix(Self.keptNotices)
        publish([])
    }

    /// Tells all who follow the queue which watched folders are not there.
    ///
    /// - Parameter folders: As they are shown to people.
    public func setAwayFolders(_ folders: [String]) {
        guard folders != awayFolders else { return }
        awayFolders = folders
        publish([])
    }
}
