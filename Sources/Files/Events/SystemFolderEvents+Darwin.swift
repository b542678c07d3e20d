#if !os(Linux)

    /// The source of folder events on a system other than Linux: none.
    package final class SystemFolderEvents: FolderEvents {
        private let none = NoFolderEvents()

        package init() throws(UnwatchedFolder) {}

        package func watch(_ folder: LocalPath) -> UnwatchedFolder? { none.watch(folder) }

        package func wait(for wakeup: WakeupPipe, upTo limit: Duration?) -> [FolderEvent] {
            none.wait(for: wakeup, upTo: limit)
        }
    }
#endif
