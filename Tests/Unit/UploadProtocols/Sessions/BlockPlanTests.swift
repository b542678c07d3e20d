import Foundation
import Testing

@testable import FerryProtocols

private let plan = BlockPlan(size: 10, blockSize: 4, key: "key-1")

struct BlockPlanTests {
    @Test(
        arguments: [
            (0, nil, 8 << 20, 0), (1, nil, 8 << 20, 1), (8 << 20, nil, 8 << 20, 1),
            ((8 << 20) + 1, nil, 8 << 20, 2),
            (10, 4, 4, 3), (80 << 30, nil, 16 << 20, 5120), (1 << 20, 1, 128, 8192),
            (10, 5000 << 20, 4000 << 20, 1),
        ] as [(ByteCount, ByteCount?, ByteCount, Int)])
    func `blocks double until there are not too many`(
        size: ByteCount, wish: ByteCount?, block: ByteCount, count: Int
    ) throws {
        let plan = try #require(BlockPlan(size: size, wish: wish, key: "k"))
        #expect(plan.blockSize == block)
        #expect(plan.count == count)
    }

    @Test func `the largest blob fits, one more byte does not`() throws {
        let limit = BlockPlan.largestBlock * BlockPlan.blockLimit
        #expect(try #require(BlockPlan(size: limit, wish: nil, key: "k")).count == 50_000)
        #expect(BlockPlan(size: limit + 1, wish: nil, key: "k") == nil)
        #expect(BlockPlan(size: .max, wish: nil, key: "k") == nil)
    }

    @Test func `blocks cover the file, each byte once`() throws {
        let plan = try #require(plan)
        #expect((0..<plan.count).map(plan.range) == [0..<4, 4..<8, 8..<10])
    }

    @Test func `names are equally long, of at most 64 bytes, and lead back to the block`() throws {
        let plan = try #require(BlockPlan(size: 50_000, blockSize: 1, key: "key-1"))
        for index in [0, 1, 9, 10, 49_999] {
            let id = plan.id(of: index)
            #expect(id.utf8.count == 36)
            #expect(Data(base64Encoded: id)?.count == 27)
            #expect(plan.index(of: id) == index)
        }
    }

    @Test func `another upload's blocks have other names`() throws {
        let plan = try #require(plan)
        let other = try #require(BlockPlan(size: 10, blockSize: 4, key: "key-2"))
        #expect(plan.index(of: other.id(of: 0)) == nil)
        #expect(other.id(of: 0).count == plan.id(of: 0).count)
    }

    @Test(arguments: ["", "x", "AAAA", "====", "\u{FEFF}", "YS0x"])
    func `a name of another form is no block`(id: String) throws {
        #expect(try #require(plan).index(of: id) == nil)
    }
}
