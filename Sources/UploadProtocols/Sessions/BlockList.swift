/// The XML documents with lists of blocks: the list that Ferry sends to join blocks, and the lists that Azure returns.
enum BlockList {
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

    /// Returns the blocks in the element `list` of the response to `Get Block List`; nil for any other document.
    static func blocks(_ list: String, in body: [UInt8]) -> [Block]? {
        guard let root = XMLDocument.parse(body), root.name == "BlockList" else { return nil }
        return (root.child(named: list)?.children(named: "Block") ?? []).compactMap { block in
            guard let name = block.text(of: "Name"), let size = block.text(of: "Size") else { return nil }
            return ByteCount(digits: size).map { Block(name: name, size: $0) }
        }
    }
}

extension BlockPlan {
    /// Returns the indices of the blocks of this plan that are in `blocks` with their planned size.
    func held(_ blocks: [BlockList.Block]) -> Set<Int> {
        Set(
            blocks.compactMap { block in
                index(of: block.name).flatMap { range(of: $0).count == block.size ? $0 : nil }
            })
    }

    /// True if `blocks` are exactly the blocks of this plan, in order and with their planned sizes, and not empty.
    func isWhole(_ blocks: [BlockList.Block]) -> Bool {
        count > 0 && blocks.count == count && held(blocks).count == count
            && blocks.enumerated().allSatisfy { index(of: $1.name) == $0 }
    }
}
