public import FerryProtocols
public import FerryTransfer

extension WatchedFolder {
    /// Returns a sequence of the complete files in the folder, each version of a file once. A file is complete when it
    /// has been unchanged for `settle` and no process is known to have it open for writing.
    ///
    /// A thread watches the folder until the task that reads the sequence is cancelled, or the sequence is released. If
    /// the folder is missing, the thread searches for it every few seconds. Every sequence begins with the existing
    /// files. To leave out the versions that were already uploaded, pass them as `known`.
    ///
    /// - Parameter known: The versions of files to leave out.
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
