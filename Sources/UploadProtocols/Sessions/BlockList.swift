/// Azure's lists of blocks, as sent and as told.
enum BlockList {
    /// A block that a blob has or may get.
    struct Block: Hashable, Sendable {
        var name: String
        var size: ByteCount
    }

    /// Makes the blob of these blocks, in their order (Put Block List).
    static func commit(_ plan: BlockPlan) -> [UInt8] {
        var text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<BlockList>"
        for index in 0..<plan.count { text += "<Latest>\(plan.id(of: index))</Latest>" }
        return Array((text + "</BlockList>").utf8)
    }

    /// The blocks that a response to Get Block List names; nil if it cannot be read.
    static func blocks(_ list: String, in body: [UInt8]) -> [Block]? {
        guard let root = XMLDocument.parse(body), root.name == "BlockList" else { return nil }
        return (root.child(named: list)?.children(named: "Block") ?? []).compactMap { block in
            guard let name = block.child(named: "Name")?.text,
                let size = block.child(named: "Size").flatMap({ ByteCount(digits: $0.text) })
            else { return nil }
            return Block(name: name, size: size)
        }
    }
}

extension BlockPlan {
    /// The whole blocks among them that belong to this upload.
    func held(_ blocks: [BlockList.Block]) -> Set<Int> {
        Set(
            blocks.compactMap { block in
                guard let index = index(of: block.name) else { return nil }
                let range = range(of: index)
                return range.upperBound - range.lowerBound == block.size ? index : nil
            })
    }

    /// True if those are the blocks of this upload, all of them and nothing else.
    func isWhole(_ blocks: [BlockList.Block]) -> Bool {
        count > 0 && blocks.count == count && held(blocks).count == count
            && blocks.enumerated().allSatisfy { index(of: $1.name) == $0 }
    }

    func bytes(_ held: Set<Int>) -> ByteCount {
        held.reduce(0) { sum, index in
            let range = range(of: index)
            return sum + range.upperBound - range.lowerBound
        }
    }
}
