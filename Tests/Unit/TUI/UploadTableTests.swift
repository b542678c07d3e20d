import FerryProtocols
import FerryTestSupport
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

@Suite struct UploadTableTests {
    private static let states: [Upload.State] = [
        .queued, .running, .waiting(5), .paused(.user), .paused(.offline), .paused([.user, .offline]),
        .changed, .done,
        .failed,
    ]

    private static let starts: [Upload.StartCondition?] = [
        nil, .init(after: [1...1]), .init(notBefore: Date(timeIntervalSince1970: Clock.start)),
        .init(notBefore: Date(timeIntervalSince1970: Clock.start), after: [1...1]),
    ]

    private func update(_ changed: [Upload], removed: [Upload.ID] = [], isComplete: Bool = false)
        -> QueueUpdate
    {
        QueueUpdate(isComplete: isComplete, changed: changed, removed: removed, status: EngineStatus())
    }

    @Test(arguments: [1, 2, 3], [5, 400])
    func `order, counts and sums equal a recount after random changes`(seed: UInt64, batch: Int) {
        var dice = SeededGenerator(seed: seed)
        var table = UploadTable()
        var truth: [Upload.ID: Upload] = [:]
        for _ in 0..<60 {
            var changed: [Upload.ID: Upload] = [:]
            for _ in 0..<Int.random(in: 0...batch, using: &dice) {
                let id = Int.random(in: 1...500, using: &dice)
                let state = Self.states.randomElement(using: &dice) ?? .queued
                var upload = Upload.make(
                    id, rank: Int64.random(in: 0...5, using: &dice) * 1000 + Int64(id), size: 100,
                    state: state,
                    confirmed: .random(in: 0...100, using: &dice))
                upload.start = Self.starts.randomElement(using: &dice) ?? nil
                changed[id] = upload
            }
            let removed = (0..<Int.random(in: 0...3, using: &dice)).map { _ in
                Int.random(in: 1...500, using: &dice)
            }
            truth.merge(changed) { $1 }
            for id in removed { truth[id] = nil }
            table.apply(update(Array(changed.values), removed: removed))
            let sorted = truth.values.sorted { $0.rank < $1.rank }
            #expect(table.rows(in: .all).map(\.id) == sorted.map(\.id))
            for tab in Tab.allCases.dropFirst() {
                #expect(table.rows(in: tab).map(\.id) == sorted.filter { Tab($0.state) == tab }.map(\.id))
            }
            func sum(_ counts: (Upload) -> Bool) -> Int128 {
                sorted.filter(counts).reduce(0) { $0 + Int128($1.size - $1.confirmed) }
            }
            func isScheduled(_ upload: Upload) -> Bool {
                upload.state == .queued && upload.start?.notBefore != nil
            }
            #expect(table.bytesLater == sum(isScheduled))
            #expect(
                table.left.total
                    == sum { upload in
                        switch upload.state {
                        case .queued, .running, .waiting, .paused(.offline): !isScheduled(upload)
                        default: false
                        }
                    })
        }
    }

    @Test func `an upload that waited for a time counts as left once the queue releases it`() {
        var table = UploadTable()
        var upload = Upload.make(1, size: 100)
        upload.start = .init(notBefore: Date(timeIntervalSince1970: Clock.start))
        table.apply(update([upload, .make(2, size: 10)]))
        #expect(table.left.total == 10)
        #expect(table.bytesLater == 100)
        upload.start = nil
        table.apply(update([upload]))
        #expect(table.left.total == 110)
        #expect(table.bytesLater == 0)
    }

    @Test func `an upload with a start time leaves the later sum when it is paused, retried or removed`() {
        var table = UploadTable()
        let uploads = (1...3).map { id in
            var upload = Upload.make(id, size: 100)
            upload.start = .init(notBefore: Date(timeIntervalSince1970: Clock.start), after: [9...9])
            return upload
        }
        table.apply(update(uploads))
        #expect(table.bytesLater == 300)
        table.apply(update([.make(1, size: 100, state: .paused(.user))]))
        table.apply(update([.make(2, size: 100, state: .running)]))
        table.apply(update([], removed: [3]))
        #expect(table.bytesLater == 0)
        #expect(table.left.total == 100)
    }

    @Test func `a complete update drops what was known before`() {
        var table = UploadTable()
        table.apply(update([.make(1), .make(2)]))
        table.apply(update([.make(3)], isComplete: true))
        #expect(table.rows(in: .all).map(\.id) == [3])
        #expect(table[1] == nil)
    }

    @Test func `applying an update twice changes nothing`() {
        var table = UploadTable()
        table.apply(update([.make(1), .make(2, state: .running)], removed: [9]))
        let moved = table.apply(update([.make(1), .make(2, state: .running)], removed: [9]))
        #expect(!moved)
        #expect(table.count(.all) == 2)
        #expect(table.count(.active) == 1)
    }

    @Test func `the largest files do not overflow the sum`() {
        var table = UploadTable()
        table.apply(update((1...20).map { .make($0, size: .max) }))
        #expect(table.left.total == Int128(Int64.max) * 20)
    }

    @Test func `an update with a hundred thousand uploads is in order`() {
        var table = UploadTable()
        table.apply(update((1...100_000).reversed().map { .make($0) }, isComplete: true))
        #expect(table.count(.all) == 100_000)
        #expect(table.rows(in: .queued).first?.id == 1)
    }
}
