import Testing

@testable import FerryTransfer

struct DeadPeerDetectorTests {
    private static func unanswered(_ count: Int) -> TCPInfo {
        TCPInfo(hasBytesInFlight: true, unanswered: count)
    }

    @Test(arguments: [0, 1, 2])
    func `N4 a packet or two that got lost are no reason to doubt a connection`(count: Int) {
        var check = DeadPeerDetector(breakCostsLittle: true)
        #expect(check.take(Self.unanswered(count)) == .nothing)
    }

    @Test func `N4 a connection left unanswered is compared with a new one, one after the other`() {
        var check = DeadPeerDetector(breakCostsLittle: true)
        for count in 3...12 {
            #expect(check.take(Self.unanswered(count)) == .compare)
            #expect(check.take(Self.unanswered(count)) == .nothing)
            check.newConnectionFailed()
        }
    }

    @Test func `N4 a connection that loses little is given up when a new one is accepted`() {
        var check = DeadPeerDetector(breakCostsLittle: true)
        #expect(check.take(Self.unanswered(3)) == .compare)
        #expect(check.newConnectionAccepted(Self.unanswered(3)) == .dead)
    }

    @Test func `N4 a connection that was acknowledged meanwhile is not given up`() {
        var check = DeadPeerDetector(breakCostsLittle: true)
        #expect(check.take(Self.unanswered(4)) == .compare)
        #expect(check.newConnectionAccepted(Self.unanswered(0)) == .nothing)
        #expect(check.take(Self.unanswered(0)) == .nothing)
    }

    @Test(arguments: [(false, true), (true, false)])
    func `N4 a whole upload, and one that waits for its response, may ask three times more`(
        costsLittle: Bool, isSending: Bool
    ) {
        var check = DeadPeerDetector(breakCostsLittle: costsLittle)
        func unanswered(_ count: Int) -> TCPInfo {
            TCPInfo(hasBytesInFlight: isSending, unanswered: count)
        }
        #expect(check.take(unanswered(4)) == .compare)
        #expect(check.newConnectionAccepted(unanswered(4)) == .nothing)
        #expect(check.take(unanswered(6)) == .nothing)
        #expect(check.take(unanswered(7)) == .compare)
        check.newConnectionFailed()
        #expect(check.take(unanswered(8)) == .compare)
        #expect(check.newConnectionAccepted(unanswered(8)) == .dead)
    }

    @Test func `N4 a doubt is forgotten with the first acknowledgement`() {
        var check = DeadPeerDetector(breakCostsLittle: false)
        #expect(check.take(Self.unanswered(3)) == .compare)
        #expect(check.newConnectionAccepted(Self.unanswered(3)) == .nothing)
        #expect(check.take(Self.unanswered(0)) == .nothing)
        #expect(check.take(Self.unanswered(6)) == .compare)
        #expect(check.newConnectionAccepted(Self.unanswered(6)) == .nothing)
    }
}
