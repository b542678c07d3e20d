import Synchronization
import Testing

@testable import FerryCommand

/// Tests which refused requests get a line in the output of `ferry serve`.
struct RefusalThrottleTests {
    private static func kind(_ client: String, _ reason: String = "no") -> RefusalThrottle.Kind {
        RefusalThrottle.Kind(client: client, status: 401, reason: reason)
    }

    @Test func `one refusal in a second of a client and a reason gets a line`() {
        let time = Mutex(ContinuousClock.now)
        let throttle = RefusalThrottle { time.withLock { $0 } }
        #expect(throttle.next(Self.kind("a")) == 0)
        for _ in 0..<10 { #expect(throttle.next(Self.kind("a")) == nil) }
        time.withLock { $0 += .milliseconds(999) }
        #expect(throttle.next(Self.kind("a")) == nil)
        time.withLock { $0 += .milliseconds(1) }
        #expect(throttle.next(Self.kind("a")) == 11)
        #expect(throttle.next(Self.kind("a")) == nil)
        #expect(throttle.takeOmitted() == 1)
        #expect(throttle.takeOmitted() == 0)
    }

    @Test func `another client and another reason get lines of their own`() {
        let time = ContinuousClock.now
        let throttle = RefusalThrottle { time }
        #expect(throttle.next(Self.kind("a")) == 0)
        #expect(throttle.next(Self.kind("a")) == nil)
        #expect(throttle.next(Self.kind("b")) == 1)
        #expect(throttle.next(Self.kind("a", "never")) == 0)
    }

    @Test func `many clients and reasons get 32 lines in a second`() {
        let time = Mutex(ContinuousClock.now)
        let throttle = RefusalThrottle { time.withLock { $0 } }
        let lines = (0..<1000).compactMap { throttle.next(Self.kind("\($0)")) }
        #expect(lines.count == 32)
        time.withLock { $0 += .seconds(1) }
        #expect(throttle.next(Self.kind("a")) == 968)
    }
}
