/// Azure's block lists, as sent and as received.
enum BlockList {
    /// A block that is in a blob, or uncommitted.
    struct Block: Hashable, Sendable {
        var name: String
        var size: ByteCount
    }

    /// Returns the list that makes a blob of these blocks in order (Put Block List).
    static func commit(_ plan: BlockPlan) -> [UInt8] {
        var text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<BlockList>"
        for index in 0..<plan.count { text += "<Latest>\(plan.id(of: index))</Latest>" }
        return Array((text + "</BlockList>").utf8)
    }

    /// Returns the blocks in a response to Get Block List; nil if it is malformed.
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
    /// Returns those of the blocks that are complete and belong to this upload.
    func held(_ blocks: [BlockList.Block]) -> Set<Int> {
        Set(
            blocks.compactMap { block in
                guard let index = index(of: block.name) else { return nil }
                return range(of: index).count == block.size ? index : nil
            })
    }

    /// True if the blocks are exactly all blocks of this upload.
    func isWhole(_ blocks: [BlockList.Block]) -> Bool {
        count > 0 && blocks.count == count && held(blocks).count == count
            && blocks.enumerated().allSatisfy { index(of: $1.name) == $0 }
    }
}
