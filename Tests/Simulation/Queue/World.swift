import FerryConnectivity
import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import FerryUploads
import Foundation
import Synchronization

/// The surroundings of the queue: time, random numbers, network, servers, files and the watch. Only one thread uses it.
final class World: Sendable {
    struct Wait {
        var life: Int
        var continuation: CheckedContinuation<Void, Never>
    }

    struct Sleeper {
        var number: Int
        var instant: ContinuousClock.Instant
        var continuation: CheckedContinuation<Void, any Error>
    }

    struct State {
        var random: SeededGenerator
        var log: EventLog
        var now: ContinuousClock.Instant
        /// The seconds by which the wall clock differs from `now`.
        var wallJump = 0.0 { didSet { latestJump = max(latestJump, wallJump) } }
        /// The greatest value of `wallJump` so far.
        private(set) var latestJump = 0.0
        var life = 0
        var isAlive = false
        var waits: [Wait] = []
        var sleepers: [Sleeper] = []
        var lastSleeper = 0
        var server = SimulatedServer()
        var isLinkUp = true
        var generation = 0
        var link: AsyncStream<LinkStatus>.Continuation?
        var downHosts: Set<String> = []
        /// The version of each file. A change of the file increases it.
        var versions: [Int: Int64] = [:]
        var diskFault = DiskFault.none
        var diskCalls = 0
        var watch = Watch()
    }

    /// The fault of the disk in one life.
    enum DiskFault {
        case none
        case fails(at: Int, count: Int, SimulatedDisk.Fault)
    }

    private static let start = ContinuousClock.now

    let mutant: Mutant?
    let executor = SimulatedExecutor()
    private let state: Mutex<State>

    init(seed: UInt64, mutant: Mutant?, keepsLines: Bool) {
        self.mutant = mutant
        state = Mutex(
            State(
                random: SeededGenerator(seed: seed), log: EventLog(keepsLines: keepsLines), now: Self.start))
    }

    func with<Result: Sendable>(_ body: (inout State) -> sending Result) -> Result {
        state.withLock { state in body(&state) }
    }

    func note(_ what: StaticString, _ first: Int = 0, _ second: Int = 0, _ text: () -> String = { "" }) {
        state.withLock { $0.log.add(what, first, second, text) }
    }

    func violated(_ invariant: String, _ text: @autoclosure () -> String) {
        let text = text()
        state.withLock { $0.watch.violations.append(Violation(invariant: invariant, text: text)) }
    }

    // Random numbers.

    func number(in range: ClosedRange<Int>) -> Int {
        state.withLock { Int.random(in: range, using: &$0.random) }
    }

    func happens(_ percent: Int) -> Bool { state.withLock { $0.random.happens(percent) } }

    /// Returns a random number from `range`, rounded to 0.001 where the range allows it.
    func drawn(_ range: ClosedRange<Double>) -> Double {
        let drawn = state.withLock { Double.random(in: range, using: &$0.random) }
        return min(range.upperBound, max(range.lowerBound, (drawn * 1000).rounded() / 1000))
    }

    // Time.

    var now: ContinuousClock.Instant { state.withLock { $0.now } }

    var date: Date {
        state.withLock { state in
            let date = Self.date(state)
            state.watch.read(date)
            return date
        }
    }

    /// Returns the wall clock's date, without recording that the queue has read the clock.
    static func date(_ state: borrowing State) -> Date {
        let seconds = Self.start.duration(to: state.now) / .seconds(1)
        return Date(
            timeIntervalSince1970: 1_800_000_000 + ((seconds + state.wallJump) * 1000).rounded() / 1000)
    }

    func clock(of life: Int) -> QueueClock {
        QueueClock(
            now: { self.now }, sleep: { try await self.sleep(until: $0, life: life) }, date: { self.date })
    }

    private func sleep(until instant: ContinuousClock.Instant, life: Int) async throws {
        let number = state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                state.withLock { state in
                    if Task.isCancelled || state.life != life || !state.isAlive {
                        continuation.resume(throwing: CancellationError())
                    } else if instant <= state.now {
                        continuation.resume()
                    } else {
                        state.sleepers.append(
                            Sleeper(number: number, instant: instant, continuation: continuation))
                    }
                }
            }
        } onCancel: {
            state.withLock { state in
                guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else { return }
                state.sleepers.remove(at: index).continuation.resume(throwing: CancellationError())
            }
        }
    }

    /// Advances the clock to `instant`, and wakes the tasks that sleep until then.
    func advance(to instant: ContinuousClock.Instant) {
        let mutant = mutant
        state.withLock { state in
            state.now = max(state.now, instant)
            let due = state.sleepers.filter { $0.instant <= state.now }
            state.sleepers.removeAll { $0.instant <= state.now }
            for sleeper in due {
                if mutant == .sleepersAreForgotten, state.random.happens(10) {
                    state.sleepers.append(
                        Sleeper(
                            number: sleeper.number, instant: state.now.advanced(by: .seconds(1 << 40)),
                            continuation: sleeper.continuation))
                } else {
                    sleeper.continuation.resume()
                }
            }
            state.log.add("time", Int(Self.start.duration(to: state.now) / .milliseconds(1)), due.count)
        }
    }

    // Lives.

    func isAlive(_ life: Int) -> Bool { state.withLock { $0.life == life && $0.isAlive } }

    /// Waits until the schedule lets the caller continue.
    ///
    /// - Returns: False if the life has ended.
    func step(_ life: Int) async -> Bool {
        guard isAlive(life) else { return false }
        await withCheckedContinuation { continuation in
            state.withLock { $0.waits.append(Wait(life: life, continuation: continuation)) }
        }
        return isAlive(life)
    }

    /// Ends all waits and sleeps.
    func releaseAll() {
        state.withLock { state in
            for wait in state.waits { wait.continuation.resume() }
            for sleeper in state.sleepers { sleeper.continuation.resume(throwing: CancellationError()) }
            state.waits = []
            state.sleepers = []
        }
    }

    /// Counts a call of the disk, and returns its fault; nil if it succeeds.
    func diskFault(at call: SimulatedDisk.Call) -> SimulatedDisk.Fault? {
        state.withLock { state in
            state.diskCalls += 1
            guard case .fails(let first, let count, let fault) = state.diskFault,
                (first..<first + count).contains(state.diskCalls)
            else { return nil }
            state.log.add("disk", state.diskCalls, 0) { "\(call.kind) \(fault)" }
            if case .kill = fault { state.isAlive = false }
            if call.kind == "synchronize" { state.watch.isSyncUncertain = true }
            if ["truncate", "synchronizeFolder", "remove"].contains(call.kind) {
                state.watch.ledger.mayKeepRefused = true
            }
            return fault
        }
    }
}
