import FerryTestSupport
import Testing

@testable import FerryUploads

struct WatchNoticesTests {
    @Test func `10,000 notices are sent once, and further ones each time`() {
        let sent = Counter()
        var notices = WatchNotices(tell: { _ in sent.add() }, log: { _ in })
        for _ in 0..<2 {
            for number in 1...10_001 { notices.once("\(number)") }
        }
        #expect(sent.value == 10_002)
    }
}
