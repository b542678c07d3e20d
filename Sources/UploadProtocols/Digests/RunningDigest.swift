import Crypto

/// A digest of bytes that arrive in chunks.
package struct RunningDigest: Sendable {
    private var state: any ByteDigest

    /// Makes the digest of no bytes.
    package init(_ algorithm: DigestAlgorithm) {
        state =
            switch algorithm {
            case .md5: Insecure.MD5()
            case .sha1: Insecure.SHA1()
            case .sha256: SHA256()
            case .crc32c: CRC32C()
            case .crc64nvme: CRC64NVME()
            }
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) { state.update(bytes) }

    /// The digest of all bytes so far. The bytes of a CRC are in network order.
    package var bytes: [UInt8] { state.bytes }

    package static func of(_ bytes: [UInt8], _ algorithm: DigestAlgorithm) -> [UInt8] {
        var digest = RunningDigest(algorithm)
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.bytes
    }
}

private protocol ByteDigest: Sendable {
    mutating func update(_ bytes: UnsafeRawBufferPointer)
    var bytes: [UInt8] { get }
}

extension HashFunction {
    fileprivate mutating func update(_ bytes: UnsafeRawBufferPointer) { update(bufferPointer: bytes) }
    fileprivate var bytes: [UInt8] { Array(finalize()) }
}

extension Insecure.MD5: ByteDigest {}
extension Insecure.SHA1: ByteDigest {}
extension SHA256: ByteDigest {}

extension CRC32C: ByteDigest {
    fileprivate var bytes: [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}

extension CRC64NVME: ByteDigest {
    fileprivate var bytes: [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}
