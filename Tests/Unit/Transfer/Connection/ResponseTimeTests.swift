import Testing

@testable import FerryTransfer

struct ResponseTimeTests {
    private let start = Duration.seconds(1000)

    private func time(_ status: UInt, mayTakeLong: Bool = false) -> ResponseTime {
        ResponseTime(status: status, response: .seconds(60), mayTakeLong: mayTakeLong, now: start)
    }

    @Test func `a body without bytes may take twice as long as a head`() {
        let time = time(200)
        #expect(!time.isOver(start + .seconds(119)))
        #expect(time.isOver(start + .seconds(120)))
    }

    @Test func `a drip does not make it longer`() {
        var time = time(200)
        for second in 1...119 { time.received(1, now: start + .seconds(second)) }
        #expect(time.isOver(start + .seconds(120)))
    }

    @Test func `each KiB that came gives a second more`() {
        var time = time(200)
        time.received(100 << 10, now: start + .seconds(10))
        #expect(!time.isOver(start + .seconds(219)))
        #expect(time.isOver(start + .seconds(220)))
    }

    @Test func `ten times as long is the end, whatever came`() {
        var time = time(200)
        time.received(100 << 20, now: start + .seconds(599))
        #expect(!time.isOver(start + .seconds(599)))
        #expect(time.isOver(start + .seconds(600)))
    }

    @Test func `a server that works may send white space for ten times as long`() {
        let time = time(200, mayTakeLong: true)
        #expect(!time.isOver(start + .seconds(599)))
        #expect(time.isOver(start + .seconds(600)))
    }

    @Test(arguments: [400, 404, 500] as [UInt])
    func `a refusal is over a second after its last bytes`(status: UInt) {
        var time = time(status)
        #expect(!time.isOver(start + .milliseconds(999)))
        #expect(time.isOver(start + .seconds(1)))
        time.received(10, now: start + .milliseconds(900))
        #expect(!time.isOver(start + .milliseconds(1899)))
        #expect(time.isOver(start + .milliseconds(1900)))
    }

    @Test func `the longest timeout there is can be multiplied`() {
        let time = ResponseTime(status: 200, response: .seconds(Int64.max), mayTakeLong: true, now: start)
        #expect(!time.isOver(start + .seconds(86_400)))
    }
}
