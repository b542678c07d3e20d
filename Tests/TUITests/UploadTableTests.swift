import Support
import Testing
import UploadProtocols
import Uploads

@testable import TUI

@Suite struct UploadTableTests {
    private static let states: [Upload.State] = [
        .queued, .running, .waiting(5), .paused(.user), .paused(.offline), .paused([.user, .offline]),
        .changed, .done,
        .failed,
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
                changed[id] = .make(
                    id, rank: Int64.random(in: 0...5, using: &dice) * 1000 + Int64(id), size: 100,
                    state: state,
                    confirmed: .random(in: 0...100, using: &dice))
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
            let left = sorted.reduce(Int128(0)) { sum, upload in
                switch upload.state {
                case .queued, .running, .waiting, .paused(.offline):
                    sum + Int128(upload.size - upload.confirmed)
                default: sum
                }
            }
            #expect(table.bytesLeft == left)
        }
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
        #expect(table.bytesLeft == Int128(Int64.max) * 20)
    }

    @Test func `an update with a hundred thousand uploads is in order`() {
        var table = UploadTable()
        table.apply(update((1...100_000).reversed().map { .make($0) }, isComplete: true))
        #expect(table.count(.all) == 100_000)
        #expect(table.rows(in: .queued).first?.id == 1)
    }
}
