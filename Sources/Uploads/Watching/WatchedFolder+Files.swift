public import FerryProtocols
public import FerryTransfer

extension WatchedFolder {
    /// Returns a sequence of the complete files in the folder, each version once, with the files that already exist. A
    /// file is complete if it has been unchanged for the time `settle`, and the system reports no process that has it
    /// open for writing.
    ///
    /// A thread watches the folder until the reading task is cancelled or the sequence is released. It looks for a
    /// missing folder every few seconds.
    ///
    /// - Parameter known: The versions of files that the sequence leaves out.
    /// - Throws: `UploadFailure` (`descriptors`) if no file descriptor is free.
    public func files(
        known: [LocalPath: FileIdentity] = [:]
    ) throws(UploadFailure) -> AsyncStream<FileSelection.File> {
        let watch: FolderWatch
        do throws(SystemCallError) { watch = try FolderWatch() } catch {
            throw .noDescriptor(error.code, for: path.text)
        }
        let (files, continuation) = AsyncStream<FileSelection.File>.makeStream()
        // The thread is asked to end without waiting for it: its volume may hang.
        continuation.onTermination = { _ in watch.cancel() }
        watch.start(WatchedTree(self, known: known)) { reports in
            for case .ready(let file) in reports { continuation.yield(file) }
        }
        return files
    }
}
