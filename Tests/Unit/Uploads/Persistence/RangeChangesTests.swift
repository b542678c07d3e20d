import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

struct RangeChangesTests {
    /// Returns the states of the uploads after the changes, as they are read from the journal and from a snapshot.
    private func states(_ changes: [QueueChange], compactedAfter count: Int) throws -> [[Upload.ID: String]] {
        let disk = SimulatedDisk()
        var (store, _) = try JournalStore.opened(disk)
        for (index, change) in changes.enumerated() {
            if index == count { try store.compact() }
            try store.append([change])
        }
        let fromJournal = try JournalStore.opened(disk.restarted()).recovered
        try store.compact()
        let fromSnapshot = try JournalStore.opened(disk.restarted()).recovered
        return [fromJournal, fromSnapshot].map { recovered in
            Dictionary(uniqueKeysWithValues: recovered.uploads.map { ($0.id, $0.state.kind) })
        }
    }

    @Test(arguments: [0, 4, 5])
    func `a new state of a range applies to the records before it, also to those of a snapshot`(count: Int)
        throws
    {
        let changes: [QueueChange] =
            (1...4).map { .set(.make($0)) } + [
                .setState([1, 2, 4], .paused(.user)), .set(.make(2)), .setState([4], .queued),
                .setState([7], .paused(.user)),
            ]
        for states in try states(changes, compactedAfter: count) {
            #expect(states == [1: "paused", 2: "queued", 3: "queued", 4: "queued"])
        }
    }

    @Test(arguments: [0, 3, 4])
    func `a removed range stays away, except for uploads that come back later`(count: Int) throws {
        let changes: [QueueChange] =
            (1...3).map { .set(.make($0)) } + [
                .removeAll([1, 2, 3]), .set(.make(2, state: .paused(.user))),
                .setState([1, 3], .paused(.user)),
            ]
        for states in try states(changes, compactedAfter: count) { #expect(states == [2: "paused"]) }
    }

    @Test func `a state with other members is replaced as a whole`() throws {
        let failed = Upload.make(1, state: .failed(UploadFailure(.server, "no", hint: "wait", status: 503)))
        let disk = SimulatedDisk()
        var (store, _) = try JournalStore.opened(disk)
        try store.append([.set(failed)])
        try store.append([.setState([1], .queued)])
        #expect(try JournalStore.opened(disk.restarted()).recovered.uploads == [.make(1)])
    }

    @Test(arguments: [
        ([], "[]"), ([1], "[[1,1]]"), ([3, 1, 2], "[[1,3]]"), ([1, 2, 4, 9, 8], "[[1,2],[4,4],[8,9]]"),
        ([5, 5], "[[5,5]]"),
        (
            [Int.min, Int.max],
            #"[["-9223372036854775808","-9223372036854775808"],"#
                + #"["9223372036854775807","9223372036854775807"]]"#
        ),
    ])
    func `consecutive numbers are written as a range`(ids: [Upload.ID], text: String) {
        var writer = JSONWriter()
        writer.ranges(of: ids)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    }
}
