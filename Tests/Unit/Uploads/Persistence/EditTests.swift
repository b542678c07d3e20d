import FerryProtocols
import FerryStateSimulation
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

/// Tests a `queue.json` that a user has edited.
struct EditTests {
    /// Returns a disk with two generations of a queue, of which `change` has edited the newest, and the text before the
    /// edit.
    private func edited(
        pending: [QueueChange] = [], _ change: (String) -> String
    ) throws -> (disk: SimulatedDisk, original: String) {
        let disk = SimulatedDisk()
        var (store, _) = try JournalStore.opened(disk)
        try store.append([.set(.make(1)), .set(.make(2))])
        try store.compact()
        try store.append([.set(.make(3, resource: UploadResource(url: "https://example.com/3")))])
        try store.compact()
        if !pending.isEmpty { try store.append(pending) }
        let original = String(decoding: try #require(disk.content(of: "queue.json")), as: UTF8.self)
        disk.put(Array(change(original).utf8), as: "queue.json")
        return (disk, original)
    }

    private func open(_ disk: SimulatedDisk, _ edited: EditedSnapshot) throws(JournalError) -> Recovered {
        try JournalStore.opened(disk, options: .make(edited: edited)).recovered
    }

    private func contents(_ disk: SimulatedDisk) -> [String: [UInt8]] {
        Dictionary(uniqueKeysWithValues: disk.fileNames.map { ($0, disk.content(of: $0) ?? []) })
    }

    @Test func `S7 a valid edit stops the start, changes nothing and names both ways out`() throws {
        let (disk, _) = try edited { $0.replacing("\"rank\":2", with: "\"rank\":22") }
        let before = contents(disk)
        let error = #expect(throws: JournalError.edited(path: "/state/queue.json")) {
            try open(disk, .refuse)
        }
        #expect(error?.hint?.contains("accept") == true)
        #expect(error?.hint?.contains("discard") == true)
        #expect(contents(disk) == before)
    }

    @Test func `S7 an accepted edit is in the next generation and in the way back`() throws {
        let (disk, _) = try edited { $0.replacing("\"rank\":2", with: "\"rank\":22") }
        var (store, recovered) = try JournalStore.opened(disk, options: .make(edited: .accept))
        #expect(recovered.uploads.map(\.rank) == [1, 22, 3])
        #expect(recovered.notices == [.acceptedEdit])
        #expect(store.isCompactionDue)
        try store.compact()
        #expect(try open(disk, .refuse).notices.isEmpty)
        disk.delete("queue.json")
        #expect(try open(disk, .refuse).uploads.map(\.rank) == [1, 22, 3])
    }

    @Test func `S7 a discarded edit gives the queue that was saved and is kept aside`() throws {
        let (disk, original) = try edited { $0.replacing("\"rank\":2", with: "\"rank\":22") }
        let text = try #require(disk.content(of: "queue.json"))
        let recovered = try open(disk, .setAside)
        #expect(recovered.uploads.map(\.rank) == [1, 2, 3])
        guard case .usedPreviousSnapshot(let reason, let keptAs?) = recovered.notices.first else {
            return #expect(Bool(false), "\(recovered.notices)")
        }
        #expect(reason.contains("edited outside"))
        #expect(disk.content(of: keptAs) == text)
        #expect(original.contains("\"rank\":2,"))
    }

    @Test func `S7 an edit is never discarded when there is nothing to go back to`() throws {
        let (disk, _) = try edited { $0.replacing("\"rank\":2", with: "\"rank\":22") }
        disk.delete("queue.prev.json")
        let before = contents(disk)
        #expect(throws: JournalError.self) { try open(disk, .setAside) }
        #expect(contents(disk) == before)
        #expect(try open(disk, .accept).uploads.map(\.rank) == [1, 22, 3])
    }

    @Test(arguments: [
        (
            "\"is\":\"queued\"", "\"is\":\"lost\"", 2,
            "upload 1: state: expected queued, running, waiting, paused, held, done or failed, not \"lost\""
        ),
        ("\"size\":10", "\"size\":ten", 2, "upload 1: file.size: expected a whole number"),
        ("\"rank\":2", "\"rank\":1", 3, "upload 2: the rank 1 is there twice"),
        ("\"id\":2", "\"id\":1", 3, "upload 1: the id 1 is there twice"),
        ("\"path\":\"/data/a.bin\",", "", 2, "upload 1: the member path is missing"),
        ("\"size\":10,", "", 2, "upload 1: file: the member size is missing"),
        (
            "\"method\":\"tus\"", "\"method\":\"pigeon\"", 2,
            "upload 1: expected a method that is one of auto,"
        ),
        ("\"confirmed\":0", "\"confirmed\":11", 4, "upload 3: more bytes are confirmed than the file has"),
        ("\"added\":\"2025-10-09T08:53:20Z\"", "\"added\":\"today\"", 2, "upload 1: added: expected a time"),
        ("\"format\":\"ferry-queue\"", "\"format\":\"other\"", 1, "uploads: this is not a queue"),
        ("\"nextID\":4", "\"nextID\":4.5", 1, "settings.nextID: expected a whole number"),
        ("\"nextID\":4", "\"nextID\":0", 1, "uploads: expected a nextID from 1 to 2^53"),
        (
            "\"nextID\":4", "\"nextID\":4,\"concurrency\":0", 1,
            "uploads: expected a concurrency from 1 to 1000"
        ),
        (
            "\"nextID\":4", "\"nextID\":4,\"limits\":[{\"scope\":\"batch\",\"name\":\"b\",\"rate\":0}]", 1,
            "uploads: expected limits of 1 or more bytes per second"
        ),
        (
            "\"nextID\":4", "\"nextID\":4,\"limits\":[{\"scope\":\"host\"}]", 1,
            "settings.limits: expected a scope that is total, destination or batch"
        ),
        ("\"lastSequence\":2", "\"lastSequence\":\(Int.max)", 1, "uploads: number out of range"),
        (
            "\"state\":{\"is\":\"queued\"}",
            "\"state\":{\"is\":\"queued\"},\"tries\":{\"changes\":\(Int.max)}", 2,
            "upload 1: expected tries from 0 to 2^53"
        ),
        (
            "\"state\":{\"is\":\"queued\"}",
            "\"state\":{\"is\":\"queued\"},\"tries\":{\"resent\":\(Int.max)}", 2,
            "upload 1: expected bytes sent again from 0 to 2^60"
        ),
    ])
    func `S7 an error in an edit is named by line, upload and member`(
        old: String, new: String, line: Int, sentence: String
    ) throws {
        let (disk, _) = try edited { text in
            text.ranges(of: old).first.map { text.replacingCharacters(in: $0, with: new) } ?? ""
        }
        let before = contents(disk)
        let error = #expect(throws: JournalError.self) { try open(disk, .accept) }
        guard case .damaged("/state/queue.json", _, let reason) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(reason.hasPrefix("line \(line), column "), "\(reason)")
        #expect(reason.contains(": \(sentence)"), "\(reason)")
        #expect(contents(disk) == before)
    }

    @Test
    func `S7 an invalid edit that is neither accepted nor discarded costs nothing: the saved queue is used`()
        throws
    {
        let (disk, _) = try edited { $0.replacing("\"size\":10", with: "\"size\":ten") }
        let recovered = try open(disk, .refuse)
        #expect(recovered.uploads.map(\.id) == [1, 2, 3])
        guard case .usedPreviousSnapshot(let reason, _?) = recovered.notices.first else {
            return #expect(Bool(false), "\(recovered.notices)")
        }
        #expect(reason.contains("line 2") && reason.contains("upload 1: file.size"), "\(reason)")
    }

    @Test(arguments: [("\"generation\":3", "\"generation\":9"), ("\"lastSequence\":2", "\"lastSequence\":7")])
    func `S7 an edit that the journals do not follow is refused, and the journals keep their changes`(
        old: String, new: String
    ) throws {
        let (disk, _) = try edited(pending: [.set(.make(4))]) { $0.replacing(old, with: new) }
        let before = contents(disk)
        let error = #expect(throws: JournalError.self) { try open(disk, .accept) }
        #expect(
            error?.summary.contains("generation and lastSequence must stay") == true,
            "\(String(describing: error))")
        #expect(contents(disk) == before)
        #expect(try open(disk, .setAside).uploads.map(\.id) == [1, 2, 3, 4])
    }

    @Test func `S7 a later journal record overrides an edit, and the affected uploads are named`() throws {
        let (disk, _) = try edited(pending: [.set(.make(2, rank: 20)), .remove(3)]) {
            $0.replacing("\"rank\":1,", with: "\"rank\":11,").replacing("\"rank\":2,", with: "\"rank\":22,")
        }
        let recovered = try open(disk, .accept)
        #expect(recovered.uploads.map(\.rank) == [11, 20])
        #expect(recovered.notices == [.acceptedEdit, .editOverruled([2, 3])])
    }

    @Test func `S7 a later change of a range overrides an edit, and the affected uploads are named`() throws {
        let (disk, _) = try edited(pending: [.setState([1], .paused(.user)), .removeAll([3])]) {
            $0.replacing("\"rank\":2,", with: "\"rank\":22,").replacing("\"rank\":3,", with: "\"rank\":33,")
        }
        let recovered = try open(disk, .accept)
        #expect(recovered.uploads.map(\.state.kind) == ["paused", "queued"])
        #expect(recovered.notices == [.acceptedEdit, .editOverruled([1, 3])])
    }

    @Test func `S7 an edit with a damaged journal is not taken over`() throws {
        let (disk, _) = try edited(pending: [.set(.make(4)), .set(.make(5))]) {
            $0.replacing("\"rank\":2", with: "\"rank\":22")
        }
        var journal = try #require(disk.content(of: "journal.3.jsonl"))
        journal[40] ^= 1
        disk.put(journal, as: "journal.3.jsonl")
        let before = contents(disk)
        let error = #expect(throws: JournalError.self) { try open(disk, .accept) }
        guard case .damaged("/state/journal.3.jsonl", _, _) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(contents(disk) == before)
    }

    @Test func `S7 taking over an edit can be cut off at any call and done again`() throws {
        let (disk, _) = try edited(pending: [.set(.make(4))]) {
            $0.replacing("\"rank\":2", with: "\"rank\":22")
        }
        let whole = disk.restarted()
        _ = try open(whole, .accept)
        for number in 0..<whole.calls.count {
            for remains in SimulatedDisk.Remains.allCases {
                let cut = disk.restarted()
                cut.fail { $0.number == number ? .kill : nil }
                _ = try? open(cut, .accept)
                let left = cut.powerCut(keeping: remains)
                #expect(try open(left, .accept).uploads.map(\.rank) == [1, 22, 3, 4], "call \(number)")
            }
        }
    }

    @Test func `a position in a text is counted in lines and characters`() {
        let text = Array("{\"a\":\n  {\"é\":[1, x]}}".utf8)
        text.withUnsafeBufferPointer { bytes in
            let found = QueuePosition(of: bytes.firstIndex(of: UInt8(ascii: "x")) ?? 0, in: bytes)
            #expect("\(found)" == "line 2, column 12: a.é")
            for position in 0...(bytes.count + 3) { #expect(TextPosition(of: position, in: bytes).line <= 2) }
        }
    }
}
