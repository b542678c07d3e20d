import NIOCore
import NIOPosix
public import UploadProtocols

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A local file, open for reading; closed when the last reference goes.
///
/// All checks are made on the open descriptor, so that what was checked is what is read. Never memory-mapped: a file
/// that is cut while mapped kills the process.
public final class SourceFile: Sendable {
    /// As it was opened; the file may have another name by now.
    public let path: LocalPath
    /// What the file was when it was opened.
    public let identity: FileIdentity
    let descriptor: CInt
    /// For the kernel to send from. It lives as long as the file, because a region that is still on its way uses it.
    let handle: NIOFileHandle

    /// - Throws: `UploadFailure` (`sourceUnreadable`) that names the path and the reason, also for anything that is
    ///   not a regular file.
    public init(_ path: LocalPath) throws(UploadFailure) {
        self.path = path
        // The system would take the path to end there.
        guard !path.bytes.contains(0) else { throw Self.unreadable(path, "no such file") }
        // Without O_NONBLOCK a FIFO would hold us until somebody writes to it; a terminal must not become ours.
        let opened = path.withCString { systemOpen($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
        guard opened >= 0 else { throw Self.unreadable(path, Self.text(of: errno)) }
        do throws(UploadFailure) {
            identity = try Self.identity(of: opened, path: path)
        } catch {
            close(opened)
            throw error
        }
        descriptor = opened
        handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: opened)
    }

    deinit { try? handle.close() }

    /// What the file at `path` is now.
    /// - Throws: as `init`.
    public static func identity(at path: LocalPath) throws(UploadFailure) -> FileIdentity {
        try SourceFile(path).identity
    }

    /// Opens off the caller's thread: on a medium that hangs, opening hangs too.
    /// - Throws: as `init`.
    public static func open(_ path: LocalPath) async throws(UploadFailure) -> SourceFile {
        try await offThread(path) { () throws(UploadFailure) in try SourceFile(path) }
    }

    /// Does `work` where waiting for a disk keeps nobody else.
    static func offThread<Value: Sendable>(
        _ path: LocalPath, _ work: @escaping @Sendable () throws(UploadFailure) -> Value
    ) async throws(UploadFailure) -> Value {
        do {
            return try await NIOThreadPool.singleton.runIfActive { try work() }
        } catch let failure as UploadFailure {
            throw failure
        } catch {
            throw unreadable(path, "it could not be read: \(error)")
        }
    }

    /// Checks that the open file is still the version that `expected` describes.
    /// - Throws: `UploadFailure` (`sourceChanged`).
    public func check(_ expected: FileIdentity) throws(UploadFailure) {
        guard try Self.identity(of: descriptor, path: path) == expected else { throw Self.changed(path) }
    }

    /// Reads exactly `count` bytes from `offset` into `buffer`.
    /// - Throws: `sourceChanged` if the file ends before that; `sourceUnreadable` for an error of the medium.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: ByteCount) throws(UploadFailure) {
        var done = 0
        while done < buffer.count {
            let got = pread(
                descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(offset) + done)
            if got > 0 {
                done += got
            } else if got == 0 {
                throw Self.changed(path)
            } else if errno != EINTR {
                throw Self.unreadable(path, Self.text(of: errno))
            }
        }
    }

    /// Brings a range into the page cache, so that sending it does not wait for the disk.
    /// - Throws: as `read(into:at:)`.
    func warm(_ range: Range<ByteCount>) throws(UploadFailure) {
        #if os(Linux)
            posix_fadvise(
                descriptor, off_t(range.lowerBound), off_t(range.upperBound - range.lowerBound),
                POSIX_FADV_WILLNEED)
        #endif
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

    /// The failure that says that the file is not the one that was queued.
    public static func changed(_ path: LocalPath) -> UploadFailure {
        UploadFailure(
            .sourceChanged, "\(path.text) changed after it was queued",
            hint: "retry uploads the file as it is now")
    }

    /// The failure that says that the file cannot be read.
    /// - Parameter reason: A part of a sentence: `no such file`.
    public static func unreadable(_ path: LocalPath, _ reason: String) -> UploadFailure {
        UploadFailure(.sourceUnreadable, "\(path.text): \(reason)", hint: "put the file right, then retry")
    }

    private static func identity(of descriptor: CInt, path: LocalPath) throws(UploadFailure) -> FileIdentity {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(path, text(of: errno)) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return FileIdentity(status)
        case S_IFDIR: throw unreadable(path, "is a folder")
        default: throw unreadable(path, "is not a regular file")
        }
    }

    private static func text(of code: CInt) -> String {
        switch code {
        case ENOENT, ENOTDIR: "no such file"
        case EACCES, EPERM: "permission denied"
        case ELOOP: "too many symbolic links"
        case EMFILE, ENFILE: "too many open files"
        case ENXIO: "is not a regular file"
        default: String(cString: strerror(code)).lowercased()
        }
    }
}

/// `open(2)`, which `SourceFile.open` would hide.
private func systemOpen(_ path: UnsafePointer<CChar>, _ flags: CInt) -> CInt { open(path, flags) }
