import FerryRequests

@testable import FerryTransfer

extension RetryDecision: Equatable {
    static func == (first: RetryDecision, second: RetryDecision) -> Bool {
        "\(first)" == "\(second)"
    }
}
