import FerryStateSimulation
import FerryTestSupport
import Synchronization

/// The faults of the disk in one life of the engine.
final class DiskFaults: Sendable {
    private struct State {
        var calls = 0
        var isKilled = false
        /// True if a sync has failed since the last call of `takeSyncFailed`.
        var syncFailed = false
        /// True once a call has failed after which the disk may still contain refused changes.
        var mayKeepRefused = false
    }

    private let range: Range<Int>
    private let fault: SimulatedDisk.Fault?
    private let state = Mutex(State())

    /// A disk without faults.
    init() { (range, fault) = (0..<0, nil) }

    init(drawn random: inout SeededGenerator) {
        guard random.happens(40) else {
            (range, fault) = (0..<0, nil)
            return
        }
        let first = Int.random(in: 1...200, using: &random)
        let code: Int32 = [28, 5, 30, 24].randomElement(using: &random) ?? 5
        switch Int.random(in: 0..<4, using: &random) {
        case 0: (range, fault) = (first..<first + 1, .kill)
        case 1: (range, fault) = (first..<first + 1, .failsHalfway(code))
        case 2:
            (range, fault) = (first..<first + Int.random(in: 2...20, using: &random), .fails(code))
        default: (range, fault) = (first..<first + 1, .fails(code))
        }
    }

    var isFaulty: Bool { fault != nil }
    /// True once a fault has ended the process in the middle of a call.
    var isKilled: Bool { state.withLock { $0.isKilled } }
    var mayKeepRefused: Bool { state.withLock { $0.mayKeepRefused } }

    func takeSyncFailed() -> Bool {
        state.withLock { state in
            defer { state.syncFailed = false }
            return state.syncFailed
        }
    }

    func fault(at call: SimulatedDisk.Call) -> SimulatedDisk.Fault? {
        state.withLock { state in
            state.calls += 1
            guard range.contains(state.calls), let fault else { return nil }
            if case .kill = fault { state.isKilled = true }
            if call.kind == "synchronize" { state.syncFailed = true }
            if ["truncate", "synchronizeFolder", "remove"].contains(call.kind) {
                state.mayKeepRefused = true
            }
            return fault
        }
    }
}
