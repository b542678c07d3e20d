import FerryFiles
import FerryProtocols
import NIOCore

extension FileStatus {
    var size: Int { Int(identity.size) }

    var modified: Date { Date(timeIntervalSince1970: Double(identity.modified) / 1e9) }

    /// The entity tag of the file: inode, size and modification time in hexadecimal (RFC 9110 §8.8.3).
    var entityTag: String {
        let (seconds, nanoseconds) = identity.modified.quotientAndRemainder(dividingBy: 1_000_000_000)
        let parts = [identity.inode] + [identity.size, seconds, nanoseconds].map { UInt64(clamping: $0) }
        return "\"" + parts.map { String($0, radix: 16) }.joined(separator: "-") + "\""
    }
}

/// Reading and writing with NIO's buffers. The methods block, so callers run them in `offLoop`.
extension OpenFile {
    func write(_ buffers: [ByteBuffer], at offset: Int) throws {
        var offset = offset
        for buffer in buffers {
            try buffer.withUnsafeReadableBytes { try write($0, at: offset) }
            offset += buffer.readableBytes
        }
    }

    func read(upTo count: Int, at offset: Int) throws -> ByteBuffer {
        var buffer = ByteBuffer()
        try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
            try read(into: UnsafeMutableRawBufferPointer(rebasing: space.prefix(count)), at: offset)
        }
        return buffer
    }
}
