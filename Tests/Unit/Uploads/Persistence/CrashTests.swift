import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

struct CrashTests {
    private static func changes(_ count: Int, _ random: inout SeededGenerator) -> [[QueueChange]] {
        (0..<count).map { _ in
            (0..<Int.random(in: 1...3, using: &random)).map { _ in
                let id = Int.random(in: 1...6, using: &random)
                return switch Int.random(in: 0..<8, using: &random) {
                case 0: .remove(id)
                case 1: .settings(QueueSettings(concurrency: id))
                case 2: .setState(Array(1...id), .paused(.user))
                case 3: .removeAll(Array(id...6))
                default: .set(.make(id, rank: Int64.random(in: 0...9, using: &random)))
                }
            }
        }
    }

    static let fixed: [[QueueChange]] = {
        var random = SeededGenerator(seed: 1)
        return changes(8, &random)
    }()

    @Test(arguments: 0..<CrashRun.calls(of: fixed))
    func `S2 a kill at any call of the system loses nothing that was acknowledged`(number: Int) {
        #expect(CrashRun.survivesKill(at: number, of: Self.fixed))
    }

    @Test(arguments: 0..<CrashRun.calls(of: fixed), SimulatedDisk.Remains.allCases)
    func `S5 a power cut at any call of the system loses nothing that was durable`(
        number: Int, remains: SimulatedDisk.Remains
    ) {
        for names in (0...4).map(SimulatedDisk.NameRemains.first) + [.removals] {
            let survives = CrashRun.survivesPowerCut(
                at: number, of: Self.fixed, keeping: remains, names: names)
            #expect(survives, "names kept: \(names)")
        }
    }

    @Test(arguments: 0..<CrashRun.calls(of: fixed))
    func `S12 a call that fails refuses the change it belongs to and nothing else`(number: Int) throws {
        for code in [EIO, ENOSPC] {
            for fault: SimulatedDisk.Fault in [.fails(code), .failsHalfway(code)] {
                let disk = SimulatedDisk()
                disk.fail { $0.number == number ? fault : nil }
                guard var store = try? JournalStore.opened(disk).store else { continue }
                var expected = ExpectedQueue()
                for change in Self.fixed {
                    guard (try? store.append(change)) != nil else { continue }
                    expected = expected.applying(change)
                    try? store.compact()
                }
                let left = disk.powerCut(keeping: .nothing)
                #expect(ExpectedQueue(try JournalStore.opened(left).recovered.uploads) == expected)
            }
        }
    }

    @Test(arguments: 0..<60)
    func `S4 a kill during recovery changes nothing`(number: Int) throws {
        let disk = SimulatedDisk()
        disk.fail { $0.number == CrashRun.calls(of: Self.fixed) - 3 ? .kill : nil }
        var run = CrashRun()
        run.go(Self.fixed, on: disk, compactingEvery: 3)
        let first = disk.restarted()
        first.fail { $0.number == number ? .kill : nil }
        _ = try? JournalStore.opened(first)
        #expect(run.explains(first.restarted(), atLeast: run.acknowledged))
        #expect(run.explains(first.powerCut(keeping: .nothing), atLeast: run.durable))
    }

    @Test(arguments: 0..<CrashRun.calls(of: fixed))
    func `S4 unsynced records of a killed process survive a power cut once the next process has started`(
        number: Int
    ) throws {
        let disk = SimulatedDisk()
        disk.fail { $0.number == number ? .kill : nil }
        var first = CrashRun()
        first.go(Self.fixed, on: disk, compactingEvery: 3)
        let second = disk.restarted()
        let found = try JournalStore.opened(second).recovered
        var run = CrashRun(from: ExpectedQueue(found.uploads))
        run.go(Self.fixed.reversed(), on: second, compactingEvery: 4)
        for names: SimulatedDisk.NameRemains in [.first(0), .first(1), .removals] {
            #expect(run.explains(second.powerCut(keeping: .nothing, names: names), atLeast: run.durable))
        }
        let unchanged = CrashRun(from: ExpectedQueue(found.uploads))
        let third = disk.restarted()
        _ = try JournalStore.opened(third)
        #expect(unchanged.explains(third.powerCut(keeping: .nothing), atLeast: 0))
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `S1 the recovered queue is always a beginning of the requested changes`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let changes = Self.changes(Int.random(in: 1...20, using: &random), &random)
        let end = Int.random(in: 0..<150, using: &random)
        let interval = Int.random(in: 1...8, using: &random)
        let disk = SimulatedDisk()
        disk.fail { $0.number == end ? .kill : nil }
        var run = CrashRun()
        run.go(changes, on: disk, compactingEvery: interval)
        #expect(run.explains(disk.restarted(), atLeast: run.acknowledged))
        for remains in SimulatedDisk.Remains.allCases {
            let left = disk.powerCut(keeping: remains, names: .first(Int.random(in: 0...5, using: &random)))
            #expect(run.explains(left, atLeast: run.durable))
        }
    }
}
