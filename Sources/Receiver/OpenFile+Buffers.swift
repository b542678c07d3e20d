import FerryFiles
import FerryProtocols
import NIOCore

extension FileStatus {
    var size: Int { Int(identity.size) }

    var modified: Date { Date(timeIntervalSince1970: Double(identity.modified) / 1e9) }

    /// The entity tag of the file: inode, size and modification time in hexadecimal (RFC 9110 §8.8.3). A write to the
    /// file changes the modification time, and so the tag.
    var entityTag: String {
        let (seconds, nanoseconds) = identity.modified.quotientAndRemainder(dividingBy: 1_000_000_000)
        let parts = [identity.inode] + [identity.size, seconds, nanoseconds].map { UInt64(clamping: $0) }
        return "\"" + parts.map { String($0, radix: 16) }.joined(separator: "-") + "\""
    }
}

/// Reading and writing with NIO's buffers. The methods block, so callers run them in `offLoop`.
extension OpenFile {
    func write(_ buffers: [ByteBuffer], at offset: Int) throws(SystemCallError) {
        var offset = offset
        for buffer in buffers {
            let result = buffer.withUnsafeReadableBytes { bytes in
                Result { () throws(SystemCallError) in try write(bytes, at: offset) }
            }
            try result.get()
            offset += buffer.readableBytes
        }
    }

    func read(upTo count: Int, at offset: Int) throws(SystemCallError) -> ByteBuffer {
        var buffer = ByteBuffer()
        var result = Result<Int, SystemCallError>.success(0)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
            result = Result { () throws(SystemCallError) in
                try read(into: UnsafeMutableRawBufferPointer(rebasing: space.prefix(count)), at: offset)
            }
            return (try? result.get()) ?? 0
        }
        _ = try result.get()
        return buffer
    }
}
