import Crypto
import FerryFiles

/// The blocks into which a file is divided for Azure: their sizes, their ranges and their names.
struct BlockPlan: Hashable, PartPlan {
    /// The maximum size of a block in bytes, from Azure's API version 2019-12-12 on.
    static let largestBlock: ByteCount = 4000 << 20
    static let blockLimit: ByteCount = 50_000
    /// The preferred maximum number of blocks. Ferry reads only the beginning of a longer list of blocks.
    static let comfortableCount: ByteCount = 10_000
    static let usualBlock: ByteCount = 8 << 20

    let size: ByteCount
    /// The number of bytes in each block but the last, which can be smaller.
    let blockSize: ByteCount
    private let prefix: String

    /// - Parameters:
    ///   - wish: The preferred block size, by default `usualBlock`. It is doubled while there are more than
    ///     `comfortableCount` blocks. The result is nil if the file is too large for a blob.
    ///   - key: The key of the upload. It makes the names of the blocks unique to this upload.
    init?(size: ByteCount, wish: ByteCount?, key: String) {
        var block = min(Self.largestBlock, max(1, wish ?? Self.usualBlock))
        while block < Self.largestBlock, Self.count(size, block) > Self.comfortableCount {
            block = min(Self.largestBlock, block * 2)
        }
        self.init(size: size, blockSize: block, key: key)
    }

    /// Makes a plan with exactly this block size, for an upload that resumes; nil if Azure does not allow that.
    init?(size: ByteCount, blockSize: ByteCount, key: String) {
        guard (1...Self.largestBlock).contains(blockSize), Self.count(size, blockSize) <= Self.blockLimit
        else { return nil }
        self.size = size
        self.blockSize = blockSize
        prefix = DigestRequest.Form.hex.text(Array(SHA256.hash(data: Data(key.utf8))).prefix(10))
    }

    var count: Int { Int(Self.count(size, blockSize)) }
    var numbers: Range<Int> { 0..<count }

    func range(of index: Int) -> Range<ByteCount> {
        let start = ByteCount(index) * blockSize
        return start..<min(size, start + blockSize)
    }

    /// Returns the name of a block: in Base64, 20 hexadecimal digits from the upload's key, a hyphen, and the index in
    /// six digits. Azure requires that all block names in a blob have the same length.
    func id(of index: Int) -> String {
        let digits = String(index)
        let number = String(repeating: "0", count: max(0, 6 - digits.count)) + digits
        return Data("\(prefix)-\(number)".utf8).base64EncodedString()
    }

    /// Returns the index of the block with the name `id`; nil if the block does not belong to this upload.
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
