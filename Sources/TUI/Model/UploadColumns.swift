import FerryTransfer
import FerryUploads

/// The uploads by slot, and beside them what is looked through when rows are filtered or put in order.
struct UploadColumns: Sendable {
    private var uploads = UploadSlots()
    /// In small letters. Gathered when somebody first filters, as are the names when somebody first sorts by them.
    private var paths: TextColumn?
    /// As `NaturalOrder` has them.
    private(set) var names: TextColumn?

    init() {}

    init(_ uploads: [Upload]) { self.uploads = UploadSlots(uploads) }

    var isEmpty: Bool { uploads.isEmpty }

    var capacity: Int { uploads.capacity }

    var taken: [Slot] { uploads.taken }

    func slot(of id: Upload.ID) -> Slot? { uploads.slot(of: id) }

    func place(of slot: Slot) -> Place { uploads.place(of: slot) }

    subscript(slot: Slot) -> Upload { uploads[slot] }

    mutating func insert(_ upload: Upload) -> Slot {
        let slot = uploads.insert(upload)
        write(upload, slot)
        return slot
    }

    mutating func replace(_ slot: Slot, with upload: Upload) {
        let isSame = uploads[slot].path == upload.path
        uploads[slot] = upload
        if !isSame { write(upload, slot) }
    }

    mutating func remove(_ slot: Slot) {
        uploads.remove(slot)
        paths?.clear(slot)
        names?.clear(slot)
    }

    /// Gives all of them new slots if so many have gone that the old ones waste memory.
    mutating func pack() {
        if uploads.isSparse { self = UploadColumns(uploads.taken.map { uploads[$0] }) }
    }

    private mutating func write(_ upload: Upload, _ slot: Slot) {
        paths?.set(slot) { UploadFilter.writeSmall(upload.path.bytes, to: &$0) }
        names?.set(slot) { NaturalOrder.write(upload.path.bytes, to: &$0) }
    }

    mutating func gatherNames() {
        guard names == nil else { return }
        names = column(NaturalOrder.write)
    }

    mutating func gatherPaths() -> TextColumn {
        if let paths { return paths }
        let column = column(UploadFilter.writeSmall)
        paths = column
        return column
    }

    private func column(_ write: ([UInt8], inout [UInt8]) -> Void) -> TextColumn {
        uploads.withUploads { all in
            TextColumn(capacity: capacity, slots: uploads.taken) { slot, text in
                write(all[slot.index].path.bytes, &text)
            }
        }
    }

    func withUploads<Result>(_ body: (UnsafeBufferPointer<Upload>) -> Result) -> Result {
        uploads.withUploads(body)
    }

    /// All of them as they stand in the queue.
    var queue: [Slot] {
        uploads.withUploads { all in
            var rows = KeyedSlots(uploads.taken) { UInt64(bitPattern: all[$0.index].rank) ^ 1 << 63 }
            rows.sort()
            rows.settle { UInt64(bitPattern: Int64(all[$0.index].id)) ^ 1 << 63 }
            return rows.slots
        }
    }
}
