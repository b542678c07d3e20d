import Testing

@testable import FerryTransfer

struct StallLimitTests {
    private static let stall = Duration.seconds(30)
    private static let silent = TCPInfo(hasBytesInFlight: true, unanswered: 4)
    private static let answered = TCPInfo(hasBytesInFlight: true, unanswered: 0)

    private static func limit(
        _ progress: TCPInfo, costsLittle: Bool = false, acknowledged: UInt64 = 8 << 20,
        movingFor seconds: Int = 10
    ) -> Duration {
        StallLimit(stall: stall, breakCostsLittle: costsLittle)
            .limit(progress, acknowledged: acknowledged, movingFor: .seconds(seconds))
    }

    @Test func `N4 a connection that costs little to break is given up after the stall time`() {
        #expect(Self.limit(Self.silent, costsLittle: true) == Self.stall)
        #expect(Self.limit(Self.silent, acknowledged: 100_000) == Self.stall)
    }

    @Test(arguments: [(0, 2), (300, 2), (8_000, 16)])
    func `N4 on a silent link the kernel tries again soon, and no sooner than an acknowledgement can come`(
        milliseconds: Int, seconds: Int
    ) {
        let progress = TCPInfo(unanswered: 3, roundTrip: .milliseconds(milliseconds))
        #expect(progress.wantedBackoff == .seconds(seconds))
    }

    @Test func `N4 a server that acknowledges and takes nothing is given up after the stall time`() {
        #expect(Self.limit(Self.answered) == Self.stall)
    }

    @Test func `N4 a whole upload outlives a fade of a minute and the kernel's longest pause after it`() {
        #expect(Self.limit(Self.silent) >= .seconds(60 + 64))
    }

    @Test func `N4 a whole upload stands still for twice the time that it cost, and not for ever`() {
        #expect(Self.limit(Self.silent, movingFor: 200) == .seconds(400))
        #expect(Self.limit(Self.silent, movingFor: 7200) == .seconds(900))
    }

    @Test
    func `N8 after the network's return there is as long again, for any connection, until something moves`() {
        var limit = StallLimit(stall: Self.stall, breakCostsLittle: true)
        func now() -> Duration { limit.limit(Self.silent, acknowledged: 0, movingFor: .zero) }
        limit.linkReturned(after: .seconds(45))
        #expect(now() == .seconds(75))
        limit.linkReturned(after: .seconds(3600))
        #expect(now() == .seconds(150))
        limit.moved()
        #expect(now() == Self.stall)
    }
}
