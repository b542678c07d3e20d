import FerryProtocols
import FerryTestSupport
import FerryTransfer
import HTTPTypes
import Testing

struct CheckLimitTests {
    /// A check that asks the same thing again and again.
    private struct EndlessCheck: DestinationCheck {
        let end: Int
        private var requests = 0

        init(end: Int) { self.end = end }

        mutating func start() -> CheckStep { .send(Exchange(.get, "https://h.example/")) }

        mutating func receive(_ reply: ExchangeOutcome) -> CheckStep {
            requests += 1
            return requests == end ? .finished(CheckReport()) : start()
        }
    }

    @Test(arguments: [(255, true), (1000, false)])
    func `a check makes 256 requests at most`(end: Int, isFinished: Bool) async {
        let requests = Counter()
        let sender = RequestSender.making(
            ScriptedTransport { _ in
                requests.add()
                return .success(TransportResponse(status: 200))
            })
        let report = try? await sender.run(EndlessCheck(end: end))
        #expect((report != nil) == isFinished)
        #expect(requests.value == (isFinished ? 255 : 256))
    }
}
