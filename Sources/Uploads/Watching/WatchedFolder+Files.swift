public import FerryProtocols
public import FerryTransfer

extension WatchedFolder {
    /// The files of the folder, each version once, as soon as it has kept still for `settle` and nobody writes to it.
    /// The folder may be missing; it is looked for every few seconds.
    ///
    /// Every sequence begins with the files that are there. A program that remembers which versions it has uploaded
    /// gives them as `known`. The thread that watches ends with the sequence, or when nobody reads it any more.
    ///
    /// - Parameter known: Versions of files that are not wanted.
    /// - Throws: `UploadFailure` (`descriptors`) if there is no descriptor left.
    public func files(
        known: [LocalPath: FileIdentity] = [:]
    ) throws(UploadFailure) -> AsyncStream<FileSelection.File> {
        let watch: FolderWatch
        do throws(SystemCallError) { watch = try FolderWatch() } catch {
            throw .noDescriptor(error.code, for: path.text)
        }
        let (files, continuation) = AsyncStream<FileSelection.File>.makeStream()
        // The thread is told, and not waited for: its medium may hang.
        continuation.onTermination = { _ in watch.cancel() }
        watch.start(WatchedTree(self, known: known)) { reports in
            for case .ready(let file) in reports { continuation.yield(file) }
        }
        return files
    }
}
