import FerryTestSupport
import Testing

@testable import FerryUploads

struct HostGrowthTests {
    /// A host with a growth, and uploads that end there one after the other.
    private struct Host {
        var growth = HostGrowth(at: ManualClock.Instant(offset: .zero))
        var now = ManualClock.Instant(offset: .zero)

        init(roundTrip: Duration? = .milliseconds(20)) {
            if let roundTrip { growth.measured(roundTrip: roundTrip) }
        }

        /// Ends `count` uploads at `speed` uploads in a second for each 64 at once, but at most at `most` in all.
        mutating func end(
            _ count: Int, speed: Double = 640, most: Double = .infinity, isSmall: Bool = true,
            isWaiting: Bool = true
        ) {
            for _ in 0..<count {
                now = now.advanced(by: .seconds(1 / min(speed * Double(growth.factor), most)))
                growth.uploaded(
                    running: 64 * growth.factor, isSmall: isSmall, isWaiting: isWaiting, at: now)
            }
        }
    }

    @Test func `the number doubles twice where twice as many are twice as fast`() {
        var host = Host()
        host.end(330)
        #expect(host.growth.factor == 2)
        host.end(1000)
        #expect(host.growth.factor == 4)
        host.end(5000)
        #expect(host.growth.factor == 4)
    }

    @Test(arguments: [nil, .milliseconds(9), .milliseconds(10)] as [Duration?])
    func `a near host gets no more uploads, nor one at an unknown distance`(roundTrip: Duration?) {
        var host = Host(roundTrip: roundTrip)
        host.end(5000)
        #expect(host.growth.factor == (roundTrip == .milliseconds(10) ? 4 : 1))
    }

    @Test func `a busy server gets the earlier number again, and another trial a minute later`() {
        var host = Host()
        host.end(1200, most: 700)
        #expect(host.growth.factor == 1)
        host.end(30_000, most: 700)
        #expect(host.growth.factor == 1)
        host.end(13_000)
        #expect(host.growth.factor == 4)
    }

    @Test func `a second doubling that is not faster leaves the first`() {
        var host = Host()
        host.end(3000, most: 1400)
        #expect(host.growth.factor == 2)
    }

    @Test func `no growth where no upload waits, as the queue is then the limit`() {
        var host = Host()
        host.end(5000, isWaiting: false)
        #expect(host.growth.factor == 1)
    }

    @Test func `few uploads in a second are measured until there are enough`() {
        var host = Host()
        host.end(200, speed: 10)
        #expect(host.growth.factor == 1)
        host.end(100, speed: 10)
        #expect(host.growth.factor == 2)
    }

    @Test func `after a failure the usual number runs for a minute`() {
        var host = Host()
        host.end(5000)
        host.growth.failed(at: host.now)
        #expect(host.growth.factor == 1)
        host.end(640 * 59)
        #expect(host.growth.factor == 1)
        host.end(640 * 3)
        #expect(host.growth.factor > 1)
    }

    @Test func `each trial that is not faster doubles the time until the next one`() {
        var host = Host()
        host.end(1200, most: 700)
        for minutes in [1, 2, 4] {
            host.end(640 * 60 * minutes - 2000, most: 700)
            #expect(host.growth.factor == 1)
            // Waits for the end of the rest, and measures again.
            var steps = 0
            while host.growth.factor == 1, steps < 4000 {
                host.end(1, most: 700)
                steps += 1
            }
            #expect(host.growth.factor == 2)
            host.end(1000, most: 700)
            #expect(host.growth.factor == 1)
        }
    }

    @Test func `failures in a trial exclude its number from later ones`() {
        var host = Host()
        host.end(800)
        #expect(host.growth.factor == 4)
        host.growth.failed(at: host.now)
        host.end(640 * 300)
        #expect(host.growth.factor == 2)
        host = Host()
        host.end(300)
        #expect(host.growth.factor == 2)
        host.growth.failed(at: host.now)
        host.end(640 * 600)
        #expect(host.growth.factor == 1)
    }

    @Test func `a failure long after the trial is no reason against another one`() {
        var host = Host()
        host.end(5000)
        host.growth.failed(at: host.now)
        #expect(host.growth.factor == 1)
        host.end(640 * 70)
        #expect(host.growth.factor == 4)
    }

    @Test func `large uploads are not measured`() {
        var host = Host()
        host.end(5000, isSmall: false)
        for _ in 0..<50 {
            host.end(200)
            host.end(1, isSmall: false)
        }
        #expect(host.growth.factor == 1)
    }

    @Test func `a stop is not a part of the measured time`() {
        var host = Host()
        // Slow because of the stop alone: without it, twice as many are no faster.
        host.end(200, most: 700)
        host.now = host.now.advanced(by: .seconds(30))
        host.end(2000, most: 700)
        #expect(host.growth.factor == 1)
    }

    @Test func `a rest is kept although no upload ends`() {
        var host = Host()
        host.end(330)
        host.growth.failed(at: host.now)
        host.growth.failed(at: host.now.advanced(by: .seconds(1)))
        #expect(!host.growth.isOver(at: host.now.advanced(by: .seconds(59))))
        #expect(host.growth.isOver(at: host.now.advanced(by: .seconds(61))))
    }

    @Test func `the growth is forgotten when no upload has ended for a minute`() {
        var host = Host()
        host.end(330)
        #expect(!host.growth.isOver(at: host.now.advanced(by: .seconds(59))))
        #expect(host.growth.isOver(at: host.now.advanced(by: .seconds(60))))
    }
}

/// Tests the growth of hosts in a table, which an idle engine does not prune.
struct HostTableGrowthTests {
    private static let host = UploadHost(name: "box", port: 80, isLocal: false)

    private static func moment(_ seconds: Double) -> Moment { QueueCoreTests.moment(seconds) }

    /// Returns a table in which the host has the factor 4, one second after the start.
    private static func grown() -> HostTable {
        var table = HostTable()
        for number in 0..<2000 {
            let now = moment(Double(number) / 2000).instant
            let growth = table.growth(at: host, now: now)
            // Twice as many are twice as fast: the last ones of a factor are left out.
            if number % 4 >= growth { continue }
            if table.uploaded(to: host, running: 4 * growth, isSmall: true, isWaiting: true, now: now) {
                table.measured(host, roundTrip: .milliseconds(20))
            }
        }
        return table
    }

    @Test func `the growth ends after a minute without uploads`() {
        var table = Self.grown()
        #expect(table.growth(at: Self.host, now: Self.moment(2).instant) == 4)
        #expect(table.growth(at: Self.host, now: Self.moment(62).instant) == 1)
        // The distance is measured anew.
        let isNew = table.uploaded(
            to: Self.host, running: 4, isSmall: true, isWaiting: true, now: Self.moment(63).instant)
        #expect(isNew)
        #expect(table.growth(at: Self.host, now: Self.moment(63).instant) == 1)
    }

    @Test func `a new link or configuration ends the growth`() {
        var table = Self.grown()
        _ = table.linkIsDown(because: "no cable", at: Self.moment(2))
        _ = table.linkIsUp(generation: 0, at: Self.moment(3))
        #expect(table.growth(at: Self.host, now: Self.moment(3).instant) == 1)
        table = Self.grown()
        table.forgetGrowth()
        #expect(table.growth(at: Self.host, now: Self.moment(2).instant) == 1)
    }
}
