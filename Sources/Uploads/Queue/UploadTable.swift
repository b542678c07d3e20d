/// Every upload of a queue by its id. Made for a million: what is removed leaves room that is used again, and growing
/// copies nothing.
struct UploadTable {
    private static let chunkSize = 1024

    private var chunks: [ContiguousArray<Upload?>] = []
    private var slots: [Upload.ID: UInt32] = [:]
    private var free: [UInt32] = []

    init() {}

    init(_ uploads: some Sequence<Upload>) {
        for upload in uploads { self[upload.id] = upload }
    }

    var count: Int { slots.count }
    var isEmpty: Bool { slots.isEmpty }

    /// In no order.
    var values: some Sequence<Upload> { chunks.lazy.joined().compactMap { $0 } }

    /// The upload with this id; nil is none, and sets none.
    subscript(id: Upload.ID) -> Upload? {
        get {
            guard let slot = slots[id] else { return nil }
            return chunks[Int(slot) / Self.chunkSize][Int(slot) % Self.chunkSize]
        }
        set {
            guard let newValue else {
                removeValue(forKey: id)
                return
            }
            let slot = slots[id] ?? takeSlot(for: id)
            chunks[Int(slot) / Self.chunkSize][Int(slot) % Self.chunkSize] = newValue
        }
    }

    @discardableResult
    mutating func removeValue(forKey id: Upload.ID) -> Upload? {
        guard let slot = slots.removeValue(forKey: id) else { return nil }
        free.append(slot)
        return chunks[Int(slot) / Self.chunkSize][Int(slot) % Self.chunkSize].take()
    }

    mutating func reserveCapacity(_ count: Int) { slots.reserveCapacity(count) }

    private mutating func takeSlot(for id: Upload.ID) -> UInt32 {
        let slot = free.popLast() ?? UInt32(slots.count)
        if Int(slot) / Self.chunkSize == chunks.count {
            chunks.append(ContiguousArray(repeating: nil, count: Self.chunkSize))
        }
        slots[id] = slot
        return slot
    }
}
