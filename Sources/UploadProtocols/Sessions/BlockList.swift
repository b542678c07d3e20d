/// Azure's block lists, as sent and as received.
enum BlockList {
    /// A block in Azure's response, committed or uncommitted.
    struct Block: Hashable, Sendable {
        var name: String
        var size: ByteCount
    }

    /// Returns the XML document that makes a blob of all blocks in order (Put Block List).
    static func commit(_ plan: BlockPlan) -> [UInt8] {
        var text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<BlockList>"
        for index in 0..<plan.count { text += "<Latest>\(plan.id(of: index))</Latest>" }
        return Array((text + "</BlockList>").utf8)
    }

    /// Returns the blocks in a response to Get Block List; nil if the response is no `BlockList` document. A block
    /// without a name or a valid size is left out.
    ///
    /// - Parameter list: The name of the XML element: `CommittedBlocks` or `UncommittedBlocks`.
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
    /// Returns the indices of the blocks that belong to this upload and have the planned size.
    func held(_ blocks: [BlockList.Block]) -> Set<Int> {
        Set(
            blocks.compactMap { block in
                guard let index = index(of: block.name) else { return nil }
                return range(of: index).count == block.size ? index : nil
            })
    }

    /// True if `blocks` are all blocks of this upload, in order, and no others.
    func isWhole(_ blocks: [BlockList.Block]) -> Bool {
        count > 0 && blocks.count == count && held(blocks).count == count
            && blocks.enumerated().allSatisfy { index(of: $1.name) == $0 }
    }
}
