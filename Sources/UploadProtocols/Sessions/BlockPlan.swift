import Crypto
import FerryFiles

/// The division of a file into Azure's blocks, and their names.
struct BlockPlan: Hashable, PartPlan {
    /// The largest block, 4000 MiB, from version 2019-12-12 on.
    static let largestBlock: ByteCount = 4000 << 20
    /// The maximum number of blocks of one blob.
    static let blockLimit: ByteCount = 50_000
    /// The preferred maximum: a list of more blocks would exceed the response limit and could not be read.
    static let comfortableCount: ByteCount = 10_000
    static let usualBlock: ByteCount = 8 << 20

    let size: ByteCount
    /// The size of every block but the last.
    let blockSize: ByteCount
    private let prefix: String

    /// - Parameters:
    ///   - wish: The preferred block size; it is doubled until the number of blocks is allowed.
    ///   - key: The key in `UploadItem`, which gives the blocks of another upload other names.
    /// - Returns: The plan; nil if the file is too large for any.
    init?(size: ByteCount, wish: ByteCount?, key: String) {
        var block = min(Self.largestBlock, max(1, wish ?? Self.usualBlock))
        while block < Self.largestBlock, Self.count(size, block) > Self.comfortableCount {
            block = min(Self.largestBlock, block * 2)
        }
        self.init(size: size, blockSize: block, key: key)
    }

    /// Makes a plan with exactly this block size, for an upload that resumes.
    init?(size: ByteCount, blockSize: ByteCount, key: String) {
        guard (1...Self.largestBlock).contains(blockSize), Self.count(size, blockSize) <= Self.blockLimit
        else {
            return nil
        }
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

    /// Returns the name of a block: Base64 of 27 characters. All names in a blob must have the same length.
    func id(of index: Int) -> String {
        let digits = String(index)
        let number = String(repeating: "0", count: max(0, 6 - digits.count)) + digits
        return Data("\(prefix)-\(number)".utf8).base64EncodedString()
    }

    /// Returns the number of the block of this name; nil if it does not belong to this upload.
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
