package import FerryTransfer
import Synchronization

/// A retrier that records its calls and returns the decisions of a list.
package final class ScriptedRetrier: RequestRetrier {
    package struct Asked: Sendable {
        package var request: TransportRequest
        package var failure: RequestFailure
        package var context: RequestContext
    }

    private let state: Mutex<(asked: [Asked], decisions: [RetryDecision])>

    package init(_ decisions: [RetryDecision]) { state = Mutex(([], decisions)) }

    package var asked: [Asked] { state.withLock { $0.asked } }

    package func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) -> RetryDecision {
        state.withLock { state in
            state.asked.append(Asked(request: request, failure: failure, context: context))
            return state.decisions.isEmpty ? .doNotRetry : state.decisions.removeFirst()
        }
    }
}
