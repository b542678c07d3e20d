import Testing

@testable import FerryTransfer

/// Tests the kernel's time between two retransmissions while the other side is silent.
struct BackoffTests {
    private static func wanted(unanswered: Int, probes: Int = 0, roundTrip: Duration = .zero) -> Duration? {
        TCPInfo(unanswered: unanswered, roundTrip: roundTrip, probes: probes).wantedBackoff
    }

    @Test func `a peer that responds gets the kernel's own time`() {
        #expect(Self.wanted(unanswered: 0) == TCPInfo.longestBackoff)
    }

    @Test func `one or two retransmissions change nothing`() {
        #expect(Self.wanted(unanswered: 2) == nil)
    }

    @Test func `a silent link is tried every two seconds, or every two round trips`() {
        #expect(Self.wanted(unanswered: 3) == .seconds(2))
        #expect(Self.wanted(unanswered: 40, roundTrip: .seconds(3)) == .seconds(6))
    }

    @Test func `the fifteen probes of a closed window last for minutes`() {
        #expect(Self.wanted(unanswered: 3, probes: 3) == .seconds(10))
        #expect(Self.wanted(unanswered: 8, probes: 8) == .seconds(10))
        #expect(Self.wanted(unanswered: 9, probes: 9) == TCPInfo.longestBackoff)
    }
}
