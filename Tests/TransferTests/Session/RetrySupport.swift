import Synchronization

@testable import FerryTransfer

extension RetryDecision: Equatable {
    static func == (first: RetryDecision, second: RetryDecision) -> Bool {
        "\(first)" == "\(second)"
    }
}

/// Writes down what it is asked, and decides as a list says.
final class ScriptedRetrier: RequestRetrier {
    struct Asked: Sendable {
        var request: TransportRequest
        var failure: RequestFailure
        var context: RequestContext
    }

    private let state: Mutex<(asked: [Asked], decisions: [RetryDecision])>

    init(_ decisions: [RetryDecision]) { state = Mutex(([], decisions)) }

    var asked: [Asked] { state.withLock { $0.asked } }

    func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) -> RetryDecision {
        state.withLock { state in
            state.asked.append(Asked(request: request, failure: failure, context: context))
            return state.decisions.isEmpty ? .doNotRetry : state.decisions.removeFirst()
        }
    }
}
