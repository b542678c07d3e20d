import FerryTestSupport
import Testing

@testable import FerryUploads

struct HostGrowthTests {
    /// A host with a growth, and uploads that end there one after the other.
    private struct Host {
        var growth = HostGrowth(at: ManualClock.Instant(offset: .zero))
        var now = ManualClock.Instant(offset: .zero)

        /// Ends `count` uploads at `speed` uploads in a second for each 64 at once, but at most at `most` in all.
        mutating func end(_ count: Int, speed: Double = 640, most: Double = .infinity, isWaiting: Bool = true)
        {
            for _ in 0..<count {
                now = now.advanced(by: .seconds(1 / min(speed * Double(growth.factor), most)))
                growth.uploaded(running: 64 * growth.factor, isWaiting: isWaiting, at: now)
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
        host.end(330)
        host.growth.failed(at: host.now)
        #expect(host.growth.factor == 1)
        host.end(640 * 59)
        #expect(host.growth.factor == 1)
        host.end(640 * 3)
        #expect(host.growth.factor > 1)
    }

    @Test func `each failure doubles the time until the next trial`() {
        var host = Host()
        host.end(330)
        for seconds in [60, 120, 240] {
            host.growth.failed(at: host.now)
            // Many uploads that run fail together.
            for _ in 0..<100 { host.growth.failed(at: host.now) }
            host.end(640 * (seconds - 1))
            #expect(host.growth.factor == 1)
            #expect(!host.growth.isOver(at: host.now))
            host.end(640 * 3)
            #expect(host.growth.factor > 1)
        }
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
