#if os(Linux)
    import Glibc

    /// The source of folder events on Linux, by inotify(7), which misses the changes of other machines on a share.
    package final class SystemFolderEvents: FolderEvents {
        private let descriptor: CInt
        private var folders: [CInt: LocalPath] = [:]
        private var numbers: [LocalPath: CInt] = [:]
        private var buffer = [UInt8](repeating: 0, count: 1 << 16)

        private static let mask = [
            IN_CREATE, IN_CLOSE_WRITE, IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE, IN_DELETE_SELF, IN_MOVE_SELF,
            IN_ONLYDIR, IN_DONT_FOLLOW, IN_EXCL_UNLINK,
        ].reduce(UInt32(0)) { $0 | UInt32(truncatingIfNeeded: $1) }

        /// - Throws: `UnwatchedFolder` if inotify is not available.
        package init() throws(UnwatchedFolder) {
            descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
            guard descriptor < 0 else { return }
            throw errno == EMFILE ? .limit(setting: "fs.inotify.max_user_instances") : .unsupported
        }

        deinit { close(descriptor) }

        package func watch(_ folder: LocalPath) -> UnwatchedFolder? {
            let number = folder.withCString { inotify_add_watch(descriptor, $0, Self.mask) }
            guard number >= 0 else {
                let code = errno
                forget(folder)
                switch code {
                case ENOSPC: return .limit(setting: "fs.inotify.max_user_watches")
                case ENOENT, ENOTDIR, EACCES, ELOOP: return .gone
                default: return .unsupported
                }
            }
            // Earlier, the path may have belonged to another folder, and the folder may have had another path.
            if let before = numbers[folder], before != number { forget(folder) }
            if let before = folders[number], before != folder { numbers[before] = nil }
            folders[number] = folder
            numbers[folder] = number
            return nil
        }

        package func wait(for wakeup: WakeupPipe, upTo limit: Duration?) -> [FolderEvent] {
            guard (try? wakeup.wait(for: descriptor, upTo: limit))?.isReadable == true else { return [] }
            var events: [FolderEvent] = []
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return events }
                take(count, into: &events)
                // Continuous changes must not keep the caller from scanning the folder.
                if events.count > 10_000 { return events }
            }
        }

        private func take(_ count: Int, into events: inout [FolderEvent]) {
            // struct inotify_event: wd, mask, cookie and len, of 4 bytes each; then the name, padded with nulls.
            var start = 0
            while start + 16 <= count {
                let (number, mask, length) = buffer.withUnsafeBytes { bytes in
                    (
                        bytes.loadUnaligned(fromByteOffset: start, as: CInt.self),
                        bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self),
                        Int(bytes.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
                    )
                }
                let end = min(count, start + 16 + length)
                let name = Array(buffer[(start + 16)..<end].prefix { $0 != 0 })
                if let event = event(number, mask, name), events.last != event { events.append(event) }
                start = end
            }
        }

        private func event(_ number: CInt, _ mask: UInt32, _ name: [UInt8]) -> FolderEvent? {
            func tells(_ bits: Int32...) -> Bool { bits.contains { mask & UInt32(bitPattern: $0) != 0 } }
            if tells(IN_Q_OVERFLOW) { return .lost }
            guard let folder = folders[number] else { return nil }
            if tells(IN_IGNORED) {
                // The folder was removed, or its file system was unmounted.
                forget(folder)
                return .folderWent(folder)
            }
            if tells(IN_DELETE_SELF, IN_MOVE_SELF, IN_UNMOUNT) {
                if tells(IN_MOVE_SELF) { forget(below: folder) } else { forget(folder) }
                return .folderWent(folder)
            }
            guard !name.isEmpty else { return nil }
            let path = folder.appending(name)
            guard tells(CInt(bitPattern: UInt32(IN_ISDIR))) else { return .changed(path) }
            if tells(IN_CREATE, IN_MOVED_TO) { return .folderCame(path) }
            if tells(IN_MOVED_FROM) { forget(below: path) } else { forget(path) }
            return .folderWent(path)
        }

        /// Ends the watches of a moved folder and of all folders below it, which would report events with old paths.
        private func forget(below folder: LocalPath) {
            for path in numbers.keys where path == folder || path.isBelow(folder) { forget(path) }
        }

        private func forget(_ folder: LocalPath) {
            guard let number = numbers.removeValue(forKey: folder) else { return }
            folders[number] = nil
            _ = inotify_rm_watch(descriptor, number)
        }
    }
#endif
