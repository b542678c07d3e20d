import FerryProtocols
import FerryStateSimulation
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

struct RecoveryTests {
    /// Returns a disk with a snapshot, the previous snapshot and later changes, and the uploads after each change.
    private func history() throws -> (disk: SimulatedDisk, states: [[Upload]]) {
        let disk = SimulatedDisk()
        var (store, _) = try JournalStore.opened(disk)
        for id in 1...3 { try store.append([.set(.make(id))]) }
        try store.compact()
        try store.append([.set(.make(4)), .remove(1)])
        try store.compact()
        var expected = ExpectedQueue((2...4).map { .make($0) })
        var states = [ExpectedQueue]()
        states.append(expected)
        for changes: [QueueChange] in [
            [.set(.make(2, state: .paused(.user)))], [.set(.make(5)), .remove(3), .set(.make(6))],
            [.remove(4)],
        ] {
            try store.append(changes)
            expected = expected.applying(changes)
            states.append(expected)
        }
        return (disk, states.map { $0.uploads.values.sorted { $0.id < $1.id } })
    }

    private let journal = JournalFile.name(3)

    @Test func `a new folder is an empty queue with a snapshot`() throws {
        let disk = SimulatedDisk()
        #expect(try JournalStore.opened(disk).recovered == Recovered())
        #expect(disk.fileNames == ["queue.json", "journal.1.jsonl"])
    }

    @Test func `S4 a second recovery finds what the first found`() throws {
        let (disk, states) = try history()
        let first = try JournalStore.opened(disk).recovered
        #expect(first.uploads == states.last)
        #expect(try JournalStore.opened(disk).recovered == first)
    }

    @Test func `S6 a journal cut at any byte gives the state before the record that was cut`() throws {
        let (disk, states) = try history()
        let whole = try #require(disk.content(of: journal))
        for length in 0...whole.count {
            let cut = disk.restarted()
            cut.put(Array(whole[..<length]), as: journal)
            let recovered = try JournalStore.opened(cut).recovered
            let records = whole[..<length].count { $0 == 0x0A }
            #expect(recovered.uploads == states[records])
            let torn = length - (whole[..<length].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0)
            #expect(recovered.notices.isEmpty == (torn == 0))
            #expect(cut.fileNames.contains { $0.hasSuffix(".torn") } == (torn > 0))
            #expect(try JournalStore.opened(cut).recovered.uploads == states[records])
        }
    }

    @Test func `S6 a tail of NULs is cut and kept aside`() throws {
        let (disk, states) = try history()
        let whole = try #require(disk.content(of: journal))
        let end = try #require(whole.dropLast().lastIndex(of: 0x0A)) + 1
        for start in end..<whole.count {
            let torn = disk.restarted()
            let tail = Array(whole[end..<start]) + [UInt8](repeating: 0, count: whole.count - start)
            torn.put(whole[..<end] + tail, as: journal)
            let recovered = try JournalStore.opened(torn).recovered
            let keptAs = "journal.3.\(end).torn"
            #expect(recovered.uploads == states[2])
            #expect(recovered.notices == [.tornTail(file: journal, bytes: tail.count, keptAs: keptAs)])
            #expect(torn.content(of: keptAs) == tail)
        }
    }

    @Test func `S7 a flipped bit in any byte of the journal is damage, never another state`() throws {
        let (disk, _) = try history()
        let whole = try #require(disk.content(of: journal))
        for index in whole.indices {
            let flipped = disk.restarted()
            var content = whole
            content[index] ^= 1 << (index % 8)
            flipped.put(content, as: journal)
            let error = #expect(throws: JournalError.self) { try JournalStore.opened(flipped) }
            guard case .damaged(path: "/state/" + journal, _, _) = error else {
                Issue.record("byte \(index): \(String(describing: error))")
                continue
            }
            #expect(flipped.content(of: journal) == content)
        }
    }

    @Test func `S7 the position of the damage is named, and cutting there leaves the records before it`()
        throws
    {
        let (disk, states) = try history()
        var content = try #require(disk.content(of: journal))
        let second = try #require(content.firstIndex(of: 0x0A)) + 1
        content[second + 40] ^= 1
        disk.put(content, as: journal)
        let error = #expect(throws: JournalError.self) { try JournalStore.opened(disk) }
        #expect(error?.hint?.contains("`truncate -s \(second) /state/journal.3.jsonl`") == true)
        disk.put(Array(content[..<second]), as: journal)
        #expect(try JournalStore.opened(disk).recovered.uploads == states[1])
    }

    @Test func `S7 a missing record stops the start`() throws {
        let (disk, _) = try history()
        let content = try #require(disk.content(of: journal))
        let second = try #require(content.firstIndex(of: 0x0A)) + 1
        disk.put(Array(content[second...]), as: journal)
        let error = #expect(throws: JournalError.self) { try JournalStore.opened(disk) }
        #expect(error?.summary.hasSuffix("record 5 is missing") == true)
    }

    @Test
    func `S7 a flipped bit in any byte of the snapshot is repaired, or reported as an edit`()
        throws
    {
        let (disk, states) = try history()
        let whole = try #require(disk.content(of: "queue.json"))
        var repaired = 0
        for index in whole.indices {
            let flipped = disk.restarted()
            var content = whole
            content[index] ^= 1 << (index % 8)
            flipped.put(content, as: "queue.json")
            do throws(JournalError) {
                let recovered = try JournalStore.opened(flipped).recovered
                #expect(recovered.uploads == states.last)
                #expect(recovered.settings.nextID == 7)
                #expect(recovered.notices.count == 1)
                repaired += 1
            } catch {
                switch error {
                case .edited, .newerFormat: #expect(flipped.content(of: "queue.json") == content)
                default: Issue.record("byte \(index): \(error)")
                }
            }
        }
        #expect(repaired > 0)
    }

    @Test func `S7 a snapshot cut at any byte is repaired from the one before it and kept aside`() throws {
        let (disk, states) = try history()
        let whole = try #require(disk.content(of: "queue.json"))
        for length in 0..<(whole.count - 1) {
            let cut = disk.restarted()
            cut.put(Array(whole[..<length]), as: "queue.json")
            var (store, recovered) = try JournalStore.opened(cut)
            #expect(recovered.uploads == states.last)
            guard case .usedPreviousSnapshot(_, let keptAs?) = recovered.notices.first else {
                Issue.record("no notice for \(length) bytes")
                continue
            }
            #expect(cut.content(of: keptAs) == Array(whole[..<length]))
            try store.compact()
            #expect(try JournalStore.opened(cut).recovered.uploads == states.last)
        }
    }

    @Test func `S7 without its snapshot a queue comes back from the one before it`() throws {
        let (disk, states) = try history()
        disk.delete("queue.json")
        let recovered = try JournalStore.opened(disk).recovered
        #expect(recovered.uploads == states.last)
        #expect(recovered.notices == [.usedPreviousSnapshot(reason: "it is missing", keptAs: nil)])
    }

    @Test func `S7 without any snapshot a queue is never taken for an empty one`() throws {
        let (disk, _) = try history()
        disk.delete("queue.json")
        disk.delete("queue.prev.json")
        #expect(throws: JournalError.damaged(path: "/state/queue.json", byte: 0, reason: "it is missing")) {
            _ = try JournalStore.opened(disk)
        }
    }

    @Test func `a snapshot without its journal is used, and it is said`() throws {
        let (disk, states) = try history()
        disk.delete(journal)
        let recovered = try JournalStore.opened(disk).recovered
        #expect(recovered.uploads == states[0])
        #expect(recovered.notices == [.journalMissing(file: journal)])
    }
}
