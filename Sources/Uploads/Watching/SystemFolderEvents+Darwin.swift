#if !os(Linux)
    package import FerryTransfer

    /// Nothing is told here: folders are looked into again and again.
    package final class SystemFolderEvents: FolderEvents {
        private let none = NoFolderEvents()

        package init() throws(UnwatchedFolder) {}

        package func watch(_ folder: LocalPath) -> UnwatchedFolder? { none.watch(folder) }

        package func wait(for alarm: WatchAlarm, upTo limit: Duration?) -> [FolderEvent] {
            none.wait(for: alarm, upTo: limit)
        }
    }
#endif
