import Crypto

/// A digest of bytes that arrive in chunks.
package struct RunningDigest: Sendable {
    private enum State: Sendable {
        case md5(Insecure.MD5)
        case sha1(Insecure.SHA1)
        case sha256(SHA256)
        case crc32c(CRC32C)
        case crc64(CRC64NVME)
    }

    private var state: State

    /// Makes the digest of no bytes.
    package init(_ algorithm: DigestAlgorithm) {
        switch algorithm {
        case .md5: state = .md5(Insecure.MD5())
        case .sha1: state = .sha1(Insecure.SHA1())
        case .sha256: state = .sha256(SHA256())
        case .crc32c: state = .crc32c(CRC32C())
        case .crc64nvme: state = .crc64(CRC64NVME())
        }
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .md5(var digest):
            digest.update(bufferPointer: bytes)
            state = .md5(digest)
        case .sha1(var digest):
            digest.update(bufferPointer: bytes)
            state = .sha1(digest)
        case .sha256(var digest):
            digest.update(bufferPointer: bytes)
            state = .sha256(digest)
        case .crc32c(var digest):
            digest.update(bytes)
            state = .crc32c(digest)
        case .crc64(var digest):
            digest.update(bytes)
            state = .crc64(digest)
        }
    }

    /// The digest of all bytes so far. The bytes of a CRC are in network order.
    package var bytes: [UInt8] {
        switch state {
        case .md5(let digest): Array(digest.finalize())
        case .sha1(let digest): Array(digest.finalize())
        case .sha256(let digest): Array(digest.finalize())
        case .crc32c(let digest): withUnsafeBytes(of: digest.value.bigEndian) { Array($0) }
        case .crc64(let digest): withUnsafeBytes(of: digest.value.bigEndian) { Array($0) }
        }
    }

    package static func of(_ bytes: [UInt8], _ algorithm: DigestAlgorithm) -> [UInt8] {
        var digest = RunningDigest(algorithm)
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.bytes
    }
}
