public import FerryProtocols
import NIOCore
import NIOPosix
import Synchronization

/// A local file, open for reading; closed when the last reference goes.
///
/// All checks are made on the open descriptor, so that what was checked is what is read. Never memory-mapped: a file
/// that is cut while mapped kills the process.
public final class SourceFile: Sendable {
    /// The path by which the file was opened; it may have another name by now.
    public let path: LocalPath
    /// The identity of the file when it was opened.
    public let identity: FileIdentity
    let descriptor: Descriptor
    /// The threads that wait for its medium.
    let readers: BlockingIOPool
    /// The descriptor from which the kernel sends. It lives as long as the file: a region on its way uses it.
    let handle: NIOFileHandle

    /// The number of names that the file had then.
    private let links: UInt64
    /// The number of names and the change time when the file was last known to hold what was queued.
    private let names: Mutex<Names>

    private struct Names {
        var count: UInt64
        var changed: Int64
    }

    /// Whether questions to the kernel about the open file wait for nothing, so that no other thread need ask them.
    private let isOnLocalDisk: Bool
    /// The content of a small file, read when the file was opened; nil if it was not read then.
    private let content: Content?

    private struct Content {
        let bytes: [UInt8]
        let read: ContinuousClock.Instant
    }

    /// The maximum size in bytes of a file that is read when it is opened. That saves two switches of threads.
    private static let smallest: ByteCount = 128 << 10
    /// A change of the file is noticed if the content was read longer ago.
    private static let recent = Duration.milliseconds(100)

    /// Follows symbolic links. A device is not opened at all: opening some does something already.
    /// - Throws: `UploadFailure` that names the path and the reason. The category is `sourceAway` if the medium does not
    ///   let the file be read now, and `descriptors` if no file can be opened. It is `sourceUnreadable` for all else, also
    ///   for what is not a regular file on a disk.
    public convenience init(_ path: LocalPath, readers: BlockingIOPool = .shared) throws(UploadFailure) {
        // The system would take the path to end there.
        guard !path.bytes.contains(0) else { throw Self.unreadable(path, "no such file") }
        if let status = FileStatus.of(path, follows: true) { try Self.checkKind(of: status, path) }
        let opened: Descriptor
        do throws(SystemCallError) { opened = try NoFollowOpen.following(path) } catch {
            throw Self.failure(path, opening: error.code)
        }
        try self.init(path, opened: opened, readers: readers)
    }

    /// Takes over the descriptor.
    ///
    /// - Parameter readsSmall: Whether to read the content of a small file at once.
    init(
        _ path: LocalPath, opened: Descriptor, readers: BlockingIOPool = .shared, readsSmall: Bool = false
    ) throws(UploadFailure) {
        self.path = path
        self.readers = readers
        descriptor = opened
        handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: opened.number)
        do throws(UploadFailure) {
            let status = try Self.status(of: opened, path: path)
            identity = status.identity
            links = status.links
            names = Mutex(Names(count: links, changed: identity.changed))
            isOnLocalDisk = opened.isOnLocalDisk
            content = readsSmall && isOnLocalDisk ? Self.content(of: opened, identity, path) : nil
        } catch {
            try? handle.close()
            throw error
        }
    }

    deinit { try? handle.close() }

    /// Returns the identity of the file at `path` now.
    /// - Throws: as `init`.
    public static func identity(at path: LocalPath) throws(UploadFailure) -> FileIdentity {
        try SourceFile(path).identity
    }

    /// Opens a file that was queued, off the caller's thread, without following a symbolic link: what was put in a
    /// folder's place since then must not be sent in place of the file. A link is no harm if it leads to the very
    /// version that was queued.
    ///
    /// - Throws: as `init`; `sourceChanged` if a link leads to anything else. That it is the queued version is for
    ///   `check` to say.
    public static func open(
        _ path: LocalPath, queuedAs identity: FileIdentity, readers: BlockingIOPool = .shared
    ) async throws(UploadFailure) -> SourceFile {
        try await readers.run(path, on: identity.device) { () throws(UploadFailure) in
            do throws(UploadFailure) { return try opened(path, queuedAs: identity, readers) } catch {
                // That it is not found because its medium is not there is no reason to give it up.
                guard error.category == .sourceUnreadable, Volume.isAway(path, expecting: identity)
                else { throw error }
                throw away(path, "its medium is not there")
            }
        }
    }

    private static func opened(
        _ path: LocalPath, queuedAs identity: FileIdentity, _ readers: BlockingIOPool
    ) throws(UploadFailure) -> SourceFile {
        switch try walk(path) {
        case .file(let opened):
            return try SourceFile(path, opened: opened, readers: readers, readsSmall: true)
        case .link(let link):
            if let file = try? SourceFile(path, readers: readers), file.identity == identity { return file }
            let goal = (try? link.resolved()) ?? link.linkTarget ?? link
            throw UploadFailure(
                .sourceChanged,
                "\(path.text): \(link.text) is a symbolic link now and leads to \(goal.text)",
                hint: "remove it and add it again if that is meant")
        }
    }

    /// Opens by a path on which no symbolic link lies.
    /// - Throws: as `init`, also for a link.
    public convenience init(resolved path: LocalPath) throws(UploadFailure) {
        switch try Self.walk(path) {
        case .file(let opened): try self.init(path, opened: opened)
        case .link(let link): throw Self.unreadable(path, "\(link.text) became a symbolic link")
        }
    }

    /// Reads a small file; nil if it is not small, cannot be read, or changed meanwhile.
    private static func content(of descriptor: Descriptor, _ identity: FileIdentity, _ path: LocalPath)
        -> Content?
    {
        guard identity.size <= smallest else { return nil }
        let now = ContinuousClock.now
        var bytes = [UInt8](repeating: 0, count: Int(identity.size))
        var done = 0
        while done < bytes.count {
            let got = try? bytes.withUnsafeMutableBytes {
                try descriptor.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: $0[done...]), at: ByteCount(done))
            }
            guard let got, got > 0 else { return nil }
            done += got
        }
        guard let status = try? status(of: descriptor, path: path), status.identity == identity else {
            return nil
        }
        return Content(bytes: bytes, read: now)
    }

    /// A range of the content, if the file is the version that `expected` describes and was read a moment ago.
    func recentBytes(_ range: Range<ByteCount>, of expected: FileIdentity) -> ArraySlice<UInt8>? {
        guard let content, identity == expected, content.read.duration(to: .now) < Self.recent,
            range.lowerBound >= 0, range.upperBound <= ByteCount(content.bytes.count)
        else { return nil }
        return content.bytes[Int(range.lowerBound)..<Int(range.upperBound)]
    }

    private enum Walked {
        /// The descriptor is the caller's to close.
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

    /// Opens off the caller's thread: on a medium that hangs, opening hangs too.
    ///
    /// - Parameter readers: The threads that wait for the medium, here and while the file is read.
    /// - Throws: as `init`.
    public static func open(
        _ path: LocalPath, readers: BlockingIOPool = .shared
    ) async throws(UploadFailure) -> SourceFile {
        try await readers.run(path, on: nil) { () throws(UploadFailure) in
            try SourceFile(path, readers: readers)
        }
    }

    /// `check(_:)` off the caller's thread.
    func confirm(_ expected: FileIdentity) async throws(UploadFailure) {
        if isOnLocalDisk { return try check(expected) }
        try await readers.run(path, on: identity.device) { () throws(UploadFailure) in
            try self.check(expected)
        }
    }

    /// Checks that the open file is still the version that `expected` describes.
    ///
    /// A file that lost a name, because it was deleted or replaced, has a new change time and is still the same: what
    /// is open stays as it was.
    /// - Throws: `UploadFailure` (`sourceChanged`).
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

    /// `fate` off the caller's thread; nil if the medium does not say.
    func fateNow() async -> SourceDisposition? {
        if isOnLocalDisk, let status = try? Self.status(of: descriptor, path: path), status.links >= links {
            return nil
        }
        let found = try? await readers.run(path, on: identity.device) { () throws(UploadFailure) in
            self.fate()
        }
        return found ?? nil
    }

    /// Returns what became of the name since the file was opened; nil if the file still has it.
    func fate() -> SourceDisposition? {
        guard let status = try? Self.status(of: descriptor, path: path) else { return nil }
        guard status.links < links else { return nil }
        do throws(SystemCallError) {
            return try FileStatus(path, follows: true).isSame(as: status) ? nil : .replaced
        } catch {
            return [.noSuchFileOrDirectory, .notDirectory].contains(error.code) ? .deleted : nil
        }
    }

    /// Returns `expected` with the device that the file is on now, if all else is as it was: a medium that was away may
    /// come back as another device.
    public func recognized(_ expected: FileIdentity) -> FileIdentity {
        var here = expected
        here.device = identity.device
        return here == identity ? here : expected
    }

    /// Reads exactly `count` bytes from `offset` into `buffer`.
    /// - Throws: `sourceChanged` if the file ends before that; `sourceAway` for an error of the medium.
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

    /// Brings a range into the page cache, so that sending it does not wait for the disk.
    /// - Throws: as `read(into:at:)`.
    func warm(_ range: Range<ByteCount>) throws(UploadFailure) {
        descriptor.willNeed(range)
        // One byte in each 64 KiB and the very last: the kernel reads ahead around each of them.
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

    /// Refuses what only looks like a file: what the kernel makes up when it is read has neither a size nor an end
    /// that can be relied upon.
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

    /// Whether somebody has the file open to write to it, or mapped; nil where that cannot be known.
    package var hasWriters: Bool? { descriptor.hasWriters }
}
