import FerryStateSimulation
import FerryUploads
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder that counts the calls that change it, and stops the process (SIGSTOP) after the call with a chosen number.
final class WatchedFiles: StateFiles {
    private let files: any StateFiles
    private let stopAfter: Int?
    private let calls = Mutex(0)

    init(_ files: any StateFiles, stopAfter: Int?) {
        self.files = files
        self.stopAfter = stopAfter
    }

    var count: Int { calls.withLock { $0 } }
    var path: String { files.path }
    func names() throws(SystemCallError) -> [String] { try files.names() }

    fileprivate func changed() {
        let count = calls.withLock {
            $0 += 1
            return $0
        }
        if count == stopAfter { kill(getpid(), SIGSTOP) }
    }

    func open(_ name: String, for access: FileAccess) throws(SystemCallError) -> (any StateFile)? {
        guard let file = try files.open(name, for: access) else { return nil }
        return WatchedFile(file, self)
    }

    func create(_ name: String) throws(SystemCallError) -> any StateFile {
        let file = try files.create(name)
        changed()
        return WatchedFile(file, self)
    }

    func link(_ name: String, as other: String) throws(SystemCallError) {
        try files.link(name, as: other)
        changed()
    }

    func rename(_ name: String, to other: String) throws(SystemCallError) {
        try files.rename(name, to: other)
        changed()
    }

    func remove(_ name: String) throws(SystemCallError) {
        try files.remove(name)
        changed()
    }

    func isSame(_ name: String, _ other: String) throws(SystemCallError) -> Bool {
        try files.isSame(name, other)
    }

    func synchronize() throws(SystemCallError) {
        try files.synchronize()
        changed()
    }
}

private final class WatchedFile: StateFile {
    private let file: any StateFile
    private let folder: WatchedFiles

    init(_ file: any StateFile, _ folder: WatchedFiles) {
        self.file = file
        self.folder = folder
    }

    func length() throws(SystemCallError) -> Int { try file.length() }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemCallError) -> Int {
        try file.read(into: buffer, at: offset)
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) {
        try file.append(bytes)
        folder.changed()
    }

    func truncate(to length: Int) throws(SystemCallError) {
        try file.truncate(to: length)
        folder.changed()
    }

    func synchronize() throws(SystemCallError) {
        try file.synchronize()
        folder.changed()
    }
}
