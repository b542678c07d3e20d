import Foundation
import Synchronization
import Testing

/// Limits how many tests of this target run at the same time, because each starts processes. The processes mostly wait,
/// so there are two tests for each core.
struct FewAtOnce: TestTrait, SuiteTrait, TestScoping {
    private static let slots = Slots(count: 2 * ProcessInfo.processInfo.activeProcessorCount)

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // A suite takes no slot itself, or its tests would find none.
        guard testCase != nil else { return try await function() }
        await Self.slots.take()
        defer { Self.slots.give() }
        try await function()
    }
}

extension Trait where Self == FewAtOnce {
    static var fewAtOnce: Self { FewAtOnce() }
}

/// A semaphore for tasks.
private final class Slots: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(count: Int) { state = Mutex(State(free: count)) }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func give() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
