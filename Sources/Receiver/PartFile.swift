import FerryFiles
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An open file. Its calls block, so they belong on `offLoop`.
final class PartFile: Sendable {
    struct Status: Sendable {
        enum Kind: Sendable {
            case file
            case folder
            case other
        }

        var size: Int
        var modified: Date
        /// The entity tag, which changes with the content: inode, size and time of the last change (RFC 9110 §8.8.3).
        var entityTag: String
        var kind: Kind

        init(_ status: stat) {
            #if os(Linux)
                let time = status.st_mtim
            #else
                let time = status.st_mtimespec
            #endif
            let parts =
                [UInt64(status.st_ino), UInt64(clamping: status.st_size)]
                + [time.tv_sec, time.tv_nsec]
                .map { UInt64(clamping: $0) }
            size = Int(status.st_size)
            modified = Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
            entityTag = "\"" + parts.map { String($0, radix: 16) }.joined(separator: "-") + "\""
            switch status.st_mode & S_IFMT {
            case S_IFREG: kind = .file
            case S_IFDIR: kind = .folder
            default: kind = .other
            }
        }
    }

    let descriptor: CInt

    init(descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    func status() throws(SystemCallError) -> Status {
        var status = stat()
        try SystemCallError.check("stat") { fstat(descriptor, &status) }
        return Status(status)
    }

    func write(_ buffers: [ByteBuffer], at offset: Int) throws(SystemCallError) {
        var offset = offset
        for buffer in buffers {
            do {
                try buffer.withUnsafeReadableBytes { try write($0, at: offset) }
            } catch let error as SystemCallError {
                throw error
            } catch {
                throw SystemCallError(call: "write", code: .ioError)
            }
            offset += buffer.readableBytes
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemCallError) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let position = off_t(offset + written)
            written += try SystemCallError.check("write") {
                pwrite(descriptor, rest.baseAddress, rest.count, position)
            }
        }
    }

    func read(upTo count: Int, at offset: Int) throws(SystemCallError) -> ByteBuffer {
        var buffer = ByteBuffer()
        var failure: SystemCallError?
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
            do throws(SystemCallError) {
                return try SystemCallError.check("read") {
                    pread(descriptor, space.baseAddress, min(count, space.count), off_t(offset))
                }
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        return buffer
    }

    func truncate(to size: Int) throws(SystemCallError) {
        try SystemCallError.check("truncate") { ftruncate(descriptor, off_t(size)) }
    }

    /// Returns once the content survives a power cut.
    func sync() throws(SystemCallError) {
        #if os(Linux)
            try SystemCallError.check("fdatasync") { fdatasync(descriptor) }
        #else
            try SystemCallError.check("fsync") { fcntl(descriptor, F_FULLFSYNC) }
        #endif
    }
}

/// Threads that may block.
enum BlockingThreads {
    /// The threads for everything that is short.
    case common
    /// One thread for digests of whole files: a client that asks for many of them delays no upload of another.
    case digests

    private static let one: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        return pool
    }()

    fileprivate var pool: NIOThreadPool {
        switch self {
        case .common: .singleton
        case .digests: Self.one
        }
    }
}

/// Runs blocking work on a thread that may block. Cancellation never skips it: received bytes must be stored.
func offLoop<Result: Sendable>(
    on threads: BlockingThreads = .common, _ work: @escaping @Sendable () throws(SystemCallError) -> Result
) async throws(SystemCallError) -> Result {
    let result: Swift.Result<Result, SystemCallError> = await withCheckedContinuation { continuation in
        threads.pool.submit { _ in
            continuation.resume(returning: Swift.Result { () throws(SystemCallError) in try work() })
        }
    }
    return try result.get()
}
