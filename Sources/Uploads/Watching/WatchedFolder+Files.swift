public import FerryProtocols
public import FerryTransfer

extension WatchedFolder {
    /// Returns a sequence of the complete files in the folder. It contains each version of a file once, and begins with
    /// the files that already exist. A file is complete if it has been unchanged for the time `settle`. If the system
    /// reports that a process has the file open for writing, the file is not complete yet.
    ///
    /// A thread watches the folder until the task that reads the sequence is cancelled, or the sequence is released. If
    /// the folder is missing, the thread looks for it every few seconds.
    ///
    /// - Parameter known: The versions of files that the sequence leaves out, for example because they were already
    ///   uploaded.
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
