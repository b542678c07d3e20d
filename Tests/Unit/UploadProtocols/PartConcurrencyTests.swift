import HTTPTypes
import Testing

@testable import FerryProtocols

struct PartConcurrencyTests {
    @Test func `a new upload sends as many parts at once as are wanted`() {
        var parts = PartConcurrency(most: 4)
        #expect(parts.limit == 4)
        #expect(parts.arrived() == 1)
        #expect(parts.limit == 4)
    }

    @Test func `after a break one part goes alone, and one more when twice as many have arrived`() {
        var parts = PartConcurrency(most: 3)
        parts.beginAfterBreak()
        #expect(parts.limit == 1)
        #expect((0..<7).map { _ in parts.arrived() } == [1, 2, 1, 1, 1, 2, 1])
        #expect(parts.limit == 3)
    }

    @Test func `less than one part at once is one`() {
        #expect(PartConcurrency(most: 0).limit == 1)
    }
}
