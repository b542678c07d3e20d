public import FerryProtocols
import NIOCore
import NIOPosix
import Synchronization

/// A local file that is open for reading. It is closed when the last reference is released.
///
/// All checks use the open descriptor, so the checked file is the file that is read. The file is never memory-mapped:
/// if a mapped file is truncated, the kernel kills the process that reads it (SIGBUS).
public final class SourceFile: Sendable {
    /// The path by which the file was opened. The file may have been renamed since.
    public let path: LocalPath
    /// The identity of the file when it was opened.
    public let identity: FileIdentity
    let descriptor: Descriptor
    /// The pool of threads on which the file is read, because a read may block.
    let readers: BlockingIOPool
    /// The handle from which NIO sends the file. It stays open as long as this object exists, because a `FileRegion`
    /// that is being sent uses it.
    let handle: NIOFileHandle

    /// The number of hard links of the file when it was opened.
    private let links: UInt64
    /// The number of hard links and the change time (ctime) of the open file, initially as at its opening. If only hard
    /// links were removed since, `check(_:)` stores the new values here, and the file counts as unchanged.
    private let names: Mutex<Names>

    /// The number of objects of this type.
    private static let openFiles = Atomic(0)

    private struct Names {
        var count: UInt64
        var changed: Int64
    }

    /// True if the file is known to be on a local file system, such as ext4. A system call on the open file then needs
    /// no network, and runs on the caller's thread. Always false on systems other than Linux.
    private let isOnLocalDisk: Bool
    /// The content of a small file, read when the file was opened; nil if it was not read then.
    private let content: Content?

    private struct Content {
        let bytes: [UInt8]
        let read: ContinuousClock.Instant
    }

    /// The maximum size in bytes of a file that is read when it is opened. Reading it at once saves two switches
    /// between threads.
    private static let smallest: ByteCount = 128 << 10
    /// The maximum age of `content`. Older content is not used, because the file has possibly changed since.
    private static let recent = Duration.milliseconds(100)

    /// Opens a file. Follows symbolic links. Does not open a device, because opening some devices has side effects.
    /// - Throws: `UploadFailure` that names the path and the reason. Its category is `sourceAway` if the disk or
    ///   network share fails, and `descriptors` if no file descriptor is free. It is `sourceUnreadable` in every other
    ///   case, for example if the path leads to a folder or to a file of /proc.
    public convenience init(_ path: LocalPath, readers: BlockingIOPool = .shared) throws(UploadFailure) {
        // The C library would end the path at the null byte.
        guard !path.bytes.contains(0) else { throw Self.unreadable(path, "no such file") }
        if let status = FileStatus.of(path, follows: true) { try Self.checkKind(of: status, path) }
        let opened: Descriptor
        do throws(SystemCallError) { opened = try NoFollowOpen.following(path) } catch {
            throw Self.failure(path, opening: error.code)
        }
        try self.init(path, opened: opened, readers: readers)
    }

    /// Makes a `SourceFile` that owns the open descriptor `opened`. If the initializer throws, it closes the
    /// descriptor.
    ///
    /// - Parameter readsSmall: True to read the content of a small file at once. The content is only read if the file
    ///   is on a local disk.
    /// - Throws: `UploadFailure` that names the path and the reason, for example that the descriptor does not belong to
    ///   a regular file.
    init(
        _ path: LocalPath, opened: Descriptor, readers: BlockingIOPool = .shared, readsSmall: Bool = false
    ) throws(UploadFailure) {
        self.path = path
        self.readers = readers
        descriptor = opened
        handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: opened.number)
        let (_, count) = Self.openFiles.add(1, ordering: .relaxed)
        do throws(UploadFailure) {
            // Each file will need a connection.
            guard DescriptorLimit.hasRoom(after: opened.number, expected: count) else {
                throw .noDescriptor(for: path.text)
            }
            let status = try Self.status(of: opened, path: path)
            identity = status.identity
            links = status.links
            names = Mutex(Names(count: links, changed: identity.changed))
            isOnLocalDisk = opened.isOnLocalDisk
            content = try readsSmall && isOnLocalDisk ? Self.content(of: opened, identity, path) : nil
        } catch {
            Self.close(handle)
            throw error
        }
    }

    deinit { Self.close(handle) }

    private static func close(_ handle: NIOFileHandle) {
        try? handle.close()
        openFiles.subtract(1, ordering: .relaxed)
    }

    /// Returns the identity of the file at `path` now.
    /// - Throws: `UploadFailure` that names the path and the reason.
    public static func identity(at path: LocalPath) throws(UploadFailure) -> FileIdentity {
        try SourceFile(path).identity
    }

    /// Opens a queued file on a thread of `readers`.
    ///
    /// If the path contains no symbolic link, the opened file can have any version, so the caller must call
    /// `check(_:)`. If the path contains a symbolic link, the opened file is always the queued version `identity`. So a
    /// link that has replaced a folder of the path since then cannot lead to another file.
    ///
    /// - Parameter readsSmall: True to read the content of a small file on a local disk at once.
    /// - Throws: `UploadFailure` that names the path and the reason. Its category is `sourceChanged` if the path
    ///   contains a link and does not lead to the queued version. It is `sourceAway` if the disk or network share is
    ///   not mounted.
    public static func open(
        _ path: LocalPath, queuedAs identity: FileIdentity, readers: BlockingIOPool = .shared,
        readsSmall: Bool = false
    ) async throws(UploadFailure) -> SourceFile {
        try await readers.run(path, on: identity.device) { () throws(UploadFailure) in
            do throws(UploadFailure) {
                return try opened(path, queuedAs: identity, readers, readsSmall)
            } catch {
                // The upload of a file must not end because its disk or share is not mounted.
                guard error.category == .sourceUnreadable, Volume.isAway(path, expecting: identity)
                else { throw error }
                throw away(path, "its disk or share is not mounted")
            }
        }
    }

    private static func opened(
        _ path: LocalPath, queuedAs identity: FileIdentity, _ readers: BlockingIOPool, _ readsSmall: Bool
    ) throws(UploadFailure) -> SourceFile {
        switch try walk(path) {
        case .file(let opened):
            return try SourceFile(path, opened: opened, readers: readers, readsSmall: readsSmall)
        case .link(let link):
            if let file = try? SourceFile(path, readers: readers), file.identity == identity { return file }
            let goal = (try? link.resolved()) ?? link.linkTarget ?? link
            throw UploadFailure(
                .sourceChanged,
                "\(path.text): \(link.text) is a symbolic link now and leads to \(goal.text)",
                hint: "remove it and add it again if that is meant")
        }
    }

    /// Opens a file whose path must not contain a symbolic link.
    /// - Throws: `UploadFailure` that names the path and the reason, for example that the path contains a symbolic
    ///   link.
    public convenience init(resolved path: LocalPath) throws(UploadFailure) {
        switch try Self.walk(path) {
        case .file(let opened): try self.init(path, opened: opened)
        case .link(let link): throw Self.unreadable(path, "\(link.text) became a symbolic link")
        }
    }

    /// Reads a small file. Returns nil if the file is larger than `smallest`, or if it changed during the read.
    ///
    /// - Throws: `UploadFailure` if the disk or network share fails.
    private static func content(
        of descriptor: Descriptor, _ identity: FileIdentity, _ path: LocalPath
    ) throws(UploadFailure) -> Content? {
        guard identity.size <= smallest else { return nil }
        let now = ContinuousClock.now
        var bytes = [UInt8](repeating: 0, count: Int(identity.size))
        var done = 0
        while done < bytes.count {
            let result = bytes.withUnsafeMutableBytes { space in
                Result { () throws(SystemCallError) in
                    let rest = UnsafeMutableRawBufferPointer(rebasing: space[done...])
                    return try descriptor.read(into: rest, at: ByteCount(done))
                }
            }
            let got: Int
            do throws(SystemCallError) { got = try result.get() } catch { throw failure(path, error.code) }
            guard got > 0 else { return nil }
            done += got
        }
        guard try status(of: descriptor, path: path).identity == identity else { return nil }
        return Content(bytes: bytes, read: now)
    }

    /// Returns the bytes of `range` from `content`. Returns nil if `content` is nil, older than `recent`, or shorter
    /// than the range. Also returns nil if the file had another version than `expected` when it was opened.
    func recentBytes(
        _ range: Range<ByteCount>, of expected: FileIdentity, now: ContinuousClock.Instant = .now
    ) -> ArraySlice<UInt8>? {
        guard let content, identity == expected, content.read.duration(to: now) < Self.recent,
            range.lowerBound >= 0, range.upperBound <= ByteCount(content.bytes.count)
        else { return nil }
        return content.bytes[Int(range.lowerBound)..<Int(range.upperBound)]
    }

    private enum Walked {
        /// The file is open; the caller closes the descriptor.
        case file(Descriptor)
        /// The path contains this symbolic link, which was not followed.
        case link(LocalPath)
    }

    private static func walk(_ path: LocalPath) throws(UploadFailure) -> Walked {
        guard !path.bytes.contains(0) else { throw unreadable(path, "no such file") }
        switch NoFollowOpen.open(path) {
        case .opened(let opened): return .file(opened)
        case .link(let link): return .link(link)
        case .special(let isFolder): throw unreadable(path, isFolder ? Self.isFolder : Self.isSpecial)
        case .failed(let code): throw failure(path, opening: code)
        }
    }

    /// Opens a file on another thread, since opening blocks on a disk or share that does not respond.
    ///
    /// - Parameter readers: The pool of threads on which the file is opened and read.
    /// - Throws: `UploadFailure` that names the path and the reason.
    public static func open(
        _ path: LocalPath, readers: BlockingIOPool = .shared
    ) async throws(UploadFailure) -> SourceFile {
        try await readers.run(path, on: nil) { () throws(UploadFailure) in
            try SourceFile(path, readers: readers)
        }
    }

    /// Checks with `check(_:)` that the file still has the version `expected`. If the file is not on a local disk, the
    /// check runs on a thread of the pool, because it can block.
    func confirm(_ expected: FileIdentity) async throws(UploadFailure) {
        if isOnLocalDisk { return try check(expected) }
        try await readers.run(path, on: identity.device) { () throws(UploadFailure) in
            try self.check(expected)
        }
    }

    /// Checks that the open file has the version `expected`.
    ///
    /// The removal of a name (hard link) of the file is not counted as a change, because the open file keeps its
    /// content. So a file that was deleted or replaced after its opening passes the check.
    /// - Throws: `UploadFailure`. Its category is `sourceChanged` if the file has another version.
    public func check(_ expected: FileIdentity) throws(UploadFailure) {
        let status = try Self.status(of: descriptor, path: path)
        let found = status.identity
        guard found != expected else { return }
        guard identity == expected, lostOnlyNames(found, count: status.links) else {
            throw FileChange(queued: expected, found: found, isWhileSent: identity == expected).failure(path)
        }
    }

    private func lostOnlyNames(_ found: FileIdentity, count: UInt64) -> Bool {
        var same = identity
        same.changed = found.changed
        guard same == found else { return false }
        return names.withLock { names in
            if count < names.count { names = Names(count: count, changed: found.changed) }
            return names.changed == found.changed
        }
    }

    /// Returns `.deleted` if the file was deleted since it was opened, and `.replaced` if another file replaced it.
    /// Returns nil in every other case, also if the disk or network share does not respond. Does not block the caller's
    /// thread.
    func dispositionNow() async -> SourceDisposition? {
        if isOnLocalDisk, let status = try? Self.status(of: descriptor, path: path), status.links >= links {
            return nil
        }
        let found = try? await readers.run(path, on: identity.device) { () throws(UploadFailure) in
            self.disposition()
        }
        return found ?? nil
    }

    /// Returns `.deleted` if the file was deleted since it was opened, and `.replaced` if another file replaced it.
    /// Returns nil in every other case: the file is still there, was moved, or cannot be examined.
    func disposition() -> SourceDisposition? {
        guard let status = try? Self.status(of: descriptor, path: path) else { return nil }
        guard status.links < links else { return nil }
        do throws(SystemCallError) {
            return try FileStatus(path, follows: true).isSame(as: status) ? nil : .replaced
        } catch {
            return [.noSuchFileOrDirectory, .notDirectory].contains(error.code) ? .deleted : nil
        }
    }

    /// Returns `expected` with the device number of the open file if all other values of both identities are equal.
    /// Otherwise returns `expected` unchanged. A disk or network share can get another device number when it is mounted
    /// again.
    public func recognized(_ expected: FileIdentity) -> FileIdentity {
        var here = expected
        here.device = identity.device
        return here == identity ? here : expected
    }

    /// Fills `buffer` with bytes of the file, beginning at `offset`.
    /// - Throws: `UploadFailure`. Its category is `sourceChanged` if the file ends before `buffer` is full, and
    ///   `sourceAway` if the disk or network share fails.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: ByteCount) throws(UploadFailure) {
        var done = 0
        while done < buffer.count {
            let got: Int
            do throws(SystemCallError) {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                got = try descriptor.read(into: rest, at: offset + ByteCount(done))
            } catch {
                throw Self.failure(path, error.code)
            }
            guard got > 0 else {
                let found = try Self.status(of: descriptor, path: path).identity
                throw FileChange(queued: identity, found: found, isWhileSent: true).failure(path)
            }
            done += got
            BlockingIOPool.beat()
        }
    }

    /// Makes the kernel load a range of the file into the page cache. Sending the range then does not wait for the
    /// disk.
    /// - Throws: `UploadFailure`. Its category is `sourceChanged` if the file ends before the end of the range, and
    ///   `sourceAway` if the disk or network share fails.
    func warm(_ range: Range<ByteCount>) throws(UploadFailure) {
        descriptor.willNeed(range)
        // Reads one byte in each 64 KiB, and the last byte, because the kernel reads ahead around each of them.
        var byte: UInt8 = 0
        var offset = range.lowerBound
        while offset < range.upperBound {
            let probe = min(offset + 65_535, range.upperBound - 1)
            try withUnsafeMutableBytes(of: &byte) { (buffer) throws(UploadFailure) in
                try read(into: buffer, at: probe)
            }
            offset = probe + 1
        }
    }

    private static let isFolder = "is a folder"
    private static let isSpecial = "is not a regular file"

    private static func status(
        of descriptor: Descriptor, path: LocalPath
    ) throws(UploadFailure) -> FileStatus {
        let status: FileStatus
        do throws(SystemCallError) { status = try descriptor.status() } catch {
            throw failure(path, error.code)
        }
        try check(status, path)
        return status
    }

    /// Throws a `sourceUnreadable` failure if `status` does not belong to a regular file on a disk. A file whose
    /// content the kernel generates, as in /proc, is refused too: it has no reliable size and no reliable end.
    static func check(_ status: FileStatus, _ path: LocalPath) throws(UploadFailure) {
        try checkKind(of: status, path)
        if PseudoFileSystems.hold(status.identity.device) {
            throw unreadable(path, "is not a file on a disk")
        }
    }

    private static func checkKind(of status: FileStatus, _ path: LocalPath) throws(UploadFailure) {
        switch status.kind {
        case .file: break
        case .folder: throw unreadable(path, isFolder)
        case .link, .special, .missing: throw unreadable(path, isSpecial)
        }
    }

    /// True if a process has the file open or mapped for writing; nil if that cannot be determined.
    package var hasWriters: Bool? { descriptor.hasWriters }
}
