import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation

/// The number of the slot in which the table keeps an upload.
struct Slot: Hashable, Sendable {
    private let number: UInt32

    init(_ index: Int) { number = UInt32(index) }

    var index: Int { Int(number) }
}

/// Every upload in a slot of its own. Lists of rows hold slots, four bytes each, and reach what they stand for without a
/// search. The slot of an upload that is removed is given again.
struct UploadSlots: Sendable {
    /// By slot. An empty one holds an upload all the same, so that the array which comes with a complete update is taken
    /// as it is and not copied.
    private var uploads: [Upload] = []
    private var slots: [Upload.ID: Slot] = [:]
    private var empty: [Slot] = []

    init() {}

    /// - Parameter uploads: The later of two with one id counts.
    init(_ uploads: [Upload]) {
        self.uploads = uploads
        slots.reserveCapacity(uploads.count)
        for index in uploads.indices {
            if let double = slots.updateValue(Slot(index), forKey: uploads[index].id) { vacate(double) }
        }
    }

    var isEmpty: Bool { slots.isEmpty }

    /// One more than the highest slot that was ever given.
    var capacity: Int { uploads.count }

    /// Those that hold an upload, in no order.
    var taken: [Slot] {
        let all = uploads.indices.lazy.map { Slot($0) }
        guard !empty.isEmpty else { return Array(all) }
        let empty = Set(empty)
        return all.filter { !empty.contains($0) }
    }

    /// True if most slots hold nothing.
    var isSparse: Bool { empty.count > max(256, uploads.count / 2) }

    func slot(of id: Upload.ID) -> Slot? { slots[id] }

    subscript(slot: Slot) -> Upload {
        get { uploads[slot.index] }
        set { uploads[slot.index] = newValue }
    }

    /// Takes an upload whose id is not there.
    mutating func insert(_ upload: Upload) -> Slot {
        let slot: Slot
        if let free = empty.popLast() {
            slot = free
            uploads[slot.index] = upload
        } else {
            slot = Slot(uploads.count)
            uploads.append(upload)
        }
        slots[upload.id] = slot
        return slot
    }

    mutating func remove(_ slot: Slot) {
        slots[uploads[slot.index].id] = nil
        vacate(slot)
    }

    private mutating func vacate(_ slot: Slot) {
        uploads[slot.index] = Self.nothing
        empty.append(slot)
    }

    /// What an empty slot holds: nothing that takes memory of its own.
    private static let nothing = Upload(
        id: 0, rank: 0, path: LocalPath(bytes: []),
        identity: FileIdentity(device: 0, inode: 0, size: 0, modified: 0, changed: 0),
        target: Upload.Target(destination: "", url: "", method: "", name: ""), added: .distantPast)

    func place(of slot: Slot) -> Place { Place(rank: uploads[slot.index].rank, id: uploads[slot.index].id) }

    /// Passes over the uploads themselves, by slot, to `body`: to copy one counts eight references.
    func withUploads<Result>(_ body: (UnsafeBufferPointer<Upload>) -> Result) -> Result {
        uploads.withUnsafeBufferPointer(body)
    }
}
