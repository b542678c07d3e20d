public import FerryProtocols
import NIOCore
import NIOPosix
import Synchronization

/// A local file that is open for reading. It is closed when the last reference is released.
///
/// All checks use the open descriptor, so the checked file is the file that is read. The file is never memory-mapped:
/// if a mapped file is truncated, the kernel kills the process (SIGBUS).
public final class SourceFile: Sendable {
    /// The path by which the file was opened. The file may have been renamed since.
    public let path: LocalPath
    /// The identity of the file when it was opened.
    public let identity: FileIdentity
    let descriptor: Descriptor
    let readers: BlockingIOPool
    /// The handle from which NIO sends the file, open as long as this object: a `FileRegion` under way uses it.
    let handle: NIOFileHandle

    private let links: UInt64
    /// The number of hard links and the change time (ctime) of the open file. If only hard links were removed,
    /// `check(_:)` stores the new values, and the file counts as unchanged.
    private let names: Mutex<Names>

    private static let openFiles = Atomic(0)

    private struct Names {
        var count: UInt64
        var changed: Int64
    }

    /// True if the file is known to be on a local file system, such as ext4: a system call on it then needs no network,
    /// and runs on the caller's thread. Always false on systems other than Linux.
    private let isOnLocalDisk: Bool
    private let content: Content?

    private struct Content {
        let bytes: [UInt8]
        let read: ContinuousClock.Instant
    }

    /// The maximum size of a file that is read when it is opened, which saves two switches between threads.
    private static let smallest: ByteCount = 128 << 10
    /// The maximum age of `content`. The file has possibly changed since.
    private static let recent = Duration.milliseconds(100)

    /// Opens a file through symbolic links. Does not open a device, which can have side effects.
    /// - Throws: `UploadFailure` that names the path: `sourceAway` if the disk or share fails, `descriptors` if no
    ///   descriptor is free, otherwise `sourceUnreadable`, as for a folder or a file of /proc.
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

    /// Makes a `SourceFile` that owns the open descriptor, also if it throws.
    /// - Parameter readsSmall: True to read the content of a small file on a local disk at once.
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
    /// `check(_:)`. Through a link, it is always the queued version `identity`: a link that has replaced a folder of
    /// the path since then cannot lead to another file.
    ///
    /// - Parameter readsSmall: True to read the content of a small file on a local disk at once.
    /// - Throws: `UploadFailure`: `sourceChanged` if a link does not lead to the queued version, `sourceAway` if the
    ///   disk or network share is not mounted.
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
                .sourceChanged, "\(path.text): \(link.text) is a symbolic link now and leads to \(goal.text)",
                hint: "remove it and add it again if that is meant")
        }
    }

    /// Opens a file whose path must not contain a symbolic link.
    public convenience init(resolved path: LocalPath) throws(UploadFailure) {
        switch try Self.walk(path) {
        case .file(let opened): try self.init(path, opened: opened)
        case .link(let link): throw Self.unreadable(path, "\(link.text) became a symbolic link")
        }
    }

    /// Reads a small file. Returns nil if it is larger than `smallest`, or if it changed during the read.
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
            let got = try translating(path) { () throws(SystemCallError) in try result.get() }
            guard got > 0 else { return nil }
            done += got
        }
        guard try status(of: descriptor, path: path).identity == identity else { return nil }
        return Content(bytes: bytes, read: now)
    }

    /// Returns the bytes of `range` from a recent `content`; nil if there is none, or if the file had another version
    /// than `expected` when it was opened.
    func recentBytes(
        _ range: Range<ByteCount>, of expected: FileIdentity, now: ContinuousClock.Instant = .now
    ) -> ArraySlice<UInt8>? {
        guard let content, identity == expected, content.read.duration(to: now) < Self.recent,
            range.lowerBound >= 0, range.upperBound <= ByteCount(content.bytes.count)
        else { return nil }
        return content.bytes[Int(range.lowerBound)..<Int(range.upperBound)]
    }

    private enum Walked {
        case file(Descriptor)
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
    public static func open(
        _ path: LocalPath, readers: BlockingIOPool = .shared
    ) async throws(UploadFailure) -> SourceFile {
        try await readers.run(path, on: nil) { () throws(UploadFailure) in
            try SourceFile(path, readers: readers)
        }
    }

    /// Checks the version with `check(_:)`, on a thread of the pool if the file is not on a local disk.
    func confirm(_ expected: FileIdentity) async throws(UploadFailure) {
        if isOnLocalDisk { return try check(expected) }
        try await readers.run(path, on: identity.device) { () throws(UploadFailure) in
            try self.check(expected)
        }
    }

    /// Checks that the open file has the version `expected`.
    ///
    /// The removal of a name (hard link) is no change, because the open file keeps its content. So a file that was
    /// deleted or replaced after its opening passes the check.
    /// - Throws: `UploadFailure`; `sourceChanged` if the file has another version.
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

    /// Returns `disposition()` without blocking the caller's thread; nil if the disk or network share does not respond.
    func dispositionNow() async -> SourceDisposition? {
        if isOnLocalDisk, let status = try? Self.status(of: descriptor, path: path), status.links >= links {
            return nil
        }
        let found = try? await readers.run(path, on: identity.device) { () throws(UploadFailure) in
            self.disposition()
        }
        return found ?? nil
    }

    /// Returns whether the file was deleted or replaced since it was opened; nil if it is still there, was moved, or
    /// cannot be examined.
    func disposition() -> SourceDisposition? {
        guard let status = try? Self.status(of: descriptor, path: path) else { return nil }
        guard status.links < links else { return nil }
        do throws(SystemCallError) {
            return try FileStatus(path, follows: true).isSame(as: status) ? nil : .replaced
        } catch {
            return [.noSuchFileOrDirectory, .notDirectory].contains(error.code) ? .deleted : nil
        }
    }

    /// Returns `expected` with the device number of the open file, if all else is equal: a disk or network share can
    /// get another number when it is mounted again.
    public func recognized(_ expected: FileIdentity) -> FileIdentity {
        var here = expected
        here.device = identity.device
        return here == identity ? here : expected
    }

    /// Fills `buffer` with bytes of the file, beginning at `offset`.
    /// - Throws: `UploadFailure`: `sourceChanged` if the file ends before, `sourceAway` if the disk or share fails.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: ByteCount) throws(UploadFailure) {
        var done = 0
        while done < buffer.count {
            let got = try Self.translating(path) { () throws(SystemCallError) in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                return try descriptor.read(into: rest, at: offset + ByteCount(done))
            }
            guard got > 0 else {
                let found = try Self.status(of: descriptor, path: path).identity
                throw FileChange(queued: identity, found: found, isWhileSent: true).failure(path)
            }
            done += got
            BlockingIOPool.beat()
        }
    }

    /// Makes the kernel load a range into the page cache, so that sending does not wait for the disk.
    /// - Throws: The errors of `read(into:at:)`.
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
        let status = try translating(path) { () throws(SystemCallError) in try descriptor.status() }
        try check(status, path)
        return status
    }

    /// Throws a `sourceUnreadable` failure if `status` is not of a regular file on a disk. A file of a pseudo file
    /// system, as in /proc, has no reliable size and no reliable end.
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

    package var hasWriters: Bool? { descriptor.hasWriters }
}
