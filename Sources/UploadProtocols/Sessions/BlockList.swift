/// The XML documents with lists of blocks: the list that Ferry sends to join blocks, and the lists that Azure returns.
enum BlockList {
    /// A block in a list that Azure returned. The block can be committed or uncommitted.
    struct Block: Hashable, Sendable {
        var name: String
        var size: ByteCount
    }

    /// Returns the body of the request `Put Block List`.
    static func commit(_ plan: BlockPlan) -> [UInt8] {
        var text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<BlockList>"
        for index in 0..<plan.count { text += "<Latest>\(plan.id(of: index))</Latest>" }
        return Array((text + "</BlockList>").utf8)
    }

    /// Returns the blocks in the response to `Get Block List`; nil if the body is not a `BlockList` document. Blocks
    /// without a name or a valid size are left out. The result is empty if the document has no element `list`.
    ///
    /// - Parameter list: The name of the XML element to read: `CommittedBlocks` or `UncommittedBlocks`.
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
    /// Returns the indices of the blocks of this plan that are in `blocks` with their planned size.
    func held(_ blocks: [BlockList.Block]) -> Set<Int> {
        Set(
            blocks.compactMap { block in
                guard let index = index(of: block.name) else { return nil }
                return range(of: index).count == block.size ? index : nil
            })
    }

    /// True if `blocks` are exactly the blocks of this plan, in order and with their planned sizes. False for the plan
    /// of an empty file, which has no blocks.
    func isWhole(_ blocks: [BlockList.Block]) -> Bool {
        count > 0 && blocks.count == count && held(blocks).count == count
            && blocks.enumerated().allSatisfy { index(of: $1.name) == $0 }
    }
}
