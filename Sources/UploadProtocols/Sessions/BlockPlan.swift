import Crypto
import FerryFiles

/// The division of a file into Azure's blocks, and their names.
struct BlockPlan: Hashable, Sendable {
    /// 4000 MiB, from version 2019-12-12 on.
    static let largestBlock: ByteCount = 4000 << 20
    /// The most that one blob may have.
    static let blockLimit: ByteCount = 50_000
    /// A list of more is longer than what is kept of an answer, and what is held could not be read from it.
    static let comfortableCount: ByteCount = 10_000
    static let usualBlock: ByteCount = 8 << 20

    let size: ByteCount
    /// The size of every block but the last.
    let blockSize: ByteCount
    private let prefix: String

    /// - Parameters:
    ///   - wish: Bytes of a block; twice as many, and again, until there are not too many blocks.
    ///   - key: As in `UploadItem`: another upload to the same place has blocks of other names.
    /// - Returns: nil if the file is too large for any.
    init?(size: ByteCount, wish: ByteCount?, key: String) {
        var block = min(Self.largestBlock, max(1, wish ?? Self.usualBlock))
        while block < Self.largestBlock, Self.count(size, block) > Self.comfortableCount {
            block = min(Self.largestBlock, block * 2)
        }
        self.init(size: size, blockSize: block, key: key)
    }

    /// Plans with exactly this block size, for an upload that resumes.
    init?(size: ByteCount, blockSize: ByteCount, key: String) {
        guard (1...Self.largestBlock).contains(blockSize), Self.count(size, blockSize) <= Self.blockLimit
        else {
            return nil
        }
        self.size = size
        self.blockSize = blockSize
        prefix = SHA256.hash(data: Data(key.utf8)).prefix(10).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    var count: Int { Int(Self.count(size, blockSize)) }

    /// Bytes of the file in block `index`, counted from 0.
    func range(of index: Int) -> Range<ByteCount> {
        let start = ByteCount(index) * blockSize
        return start..<min(size, start + blockSize)
    }

    /// Base64 of 27 characters, the same number for every block of every upload: a blob takes no others beside them.
    func id(of index: Int) -> String {
        let digits = String(index)
        let number = String(repeating: "0", count: max(0, 6 - digits.count)) + digits
        return Data("\(prefix)-\(number)".utf8).base64EncodedString()
    }

    /// The block of this name; nil if it does not belong to this upload.
    func index(of id: String) -> Int? {
        guard let data = Data(base64Encoded: id) else { return nil }
        let parts = String(decoding: data, as: UTF8.self).split(separator: "-")
        guard parts.count == 2, parts[0] == prefix, let number = ByteCount(digits: parts[1]),
            let index = Int(exactly: number), index < count, self.id(of: index) == id
        else { return nil }
        return index
    }

    private static func count(_ size: ByteCount, _ block: ByteCount) -> ByteCount {
        size / block + (size % block == 0 ? 0 : 1)
    }
}
