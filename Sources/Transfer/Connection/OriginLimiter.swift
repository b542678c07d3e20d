import Synchronization

/// Limits the number of concurrent requests to one origin. Others wait in order of arrival, without a time limit.
///
/// The pool of the HTTP client would let a waiting request fail at the connect timeout, as for an unreachable server.
final class OriginLimiter: Sendable {
    private struct Origin {
        var taken = 0
        var waiting: [(ticket: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private struct State {
        var origins: [String: Origin] = [:]
        var lastTicket: UInt64 = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    func waitingCount(for origin: String) -> Int { state.withLock { $0.origins[origin]?.waiting.count ?? 0 } }

    /// Waits until a request to `origin` is allowed to run.
    /// - Returns: True if the caller may run the request, and must then call `leave(_:)`. False after a cancellation.
    func enter(_ origin: String) async -> Bool {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result: Bool? = state.withLock { state in
                    guard !Task.isCancelled else { return false }
                    guard state.origins[origin, default: Origin()].taken >= limit else {
                        state.origins[origin, default: Origin()].taken += 1
                        return true
                    }
                    state.origins[origin]?.waiting.append((ticket, continuation))
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            let waiting: CheckedContinuation<Bool, Never>? = state.withLock { state in
                guard let index = state.origins[origin]?.waiting.firstIndex(where: { $0.ticket == ticket })
                else { return nil }
                return state.origins[origin]?.waiting.remove(at: index).continuation
            }
            waiting?.resume(returning: false)
        }
    }

    func leave(_ origin: String) {
        let next: CheckedContinuation<Bool, Never>? = state.withLock { state in
            guard var known = state.origins[origin] else { return nil }
            defer { state.origins[origin] = known.taken > 0 ? known : nil }
            guard known.waiting.isEmpty else { return known.waiting.removeFirst().continuation }
            known.taken -= 1
            return nil
        }
        next?.resume(returning: true)
    }
}
