import Testing

@testable import FerryTUI

@Suite struct FramePacerTests {
    /// Draws frames that take `durations`, and returns the time until the next frame is due if the user does not wait
    /// for it.
    private static func pause(after durations: [Double], isSlow: Bool = false) -> Double {
        var pacer = FramePacer(isSlow: isSlow)
        for (index, duration) in durations.enumerated() { pacer.drew(now: Double(index), duration: duration) }
        let last = Double(durations.count - 1)
        pacer.request(.soon, now: last)
        return (pacer.due ?? .infinity) - last
    }

    private static func isClose(_ left: Double, _ right: Double) -> Bool { abs(left - right) < 0.000_1 }

    @Test(arguments: [(false, 0.1), (true, 1)])
    func `automatic changes are drawn together`(isSlow: Bool, seconds: Double) {
        #expect(Self.isClose(Self.pause(after: [0], isSlow: isSlow), seconds))
    }

    @Test(arguments: [false, true])
    func `a change that the user waits for is drawn at once`(isSlow: Bool) {
        var pacer = FramePacer(isSlow: isSlow)
        pacer.drew(now: 5, duration: 0)
        pacer.request(.soon, now: 5.05)
        #expect(!pacer.isDue(5.05))
        pacer.request(.now, now: 5.05)
        #expect(pacer.isDue(5.05))
    }

    @Test func `a storm makes no more frames than the eye sees`() {
        var pacer = FramePacer()
        var frames = 0
        for millisecond in 0..<1000 {
            let now = Double(millisecond) / 1000
            pacer.request(.now, now: now)
            if pacer.isDue(now) {
                frames += 1
                pacer.drew(now: now, duration: 0)
            }
        }
        #expect((2...63).contains(frames))
    }

    @Test func `without anything new nothing is due`() {
        var pacer = FramePacer()
        pacer.request(.now, now: 1)
        pacer.drew(now: 1, duration: 0)
        #expect(pacer.due == nil)
        #expect(!pacer.isDue(100))
    }

    @Test func `painting that takes long halves the rate, again and again up to an end`() {
        let long = Array(repeating: 0.11, count: 20)
        #expect(Self.isClose(Self.pause(after: long.dropLast()), 0.1))
        #expect(Self.isClose(Self.pause(after: long), 0.2))
        #expect(Self.isClose(Self.pause(after: long + long), 0.4))
        #expect(Self.isClose(Self.pause(after: Array(repeating: 0.11, count: 1000)), 2))
        #expect(Self.isClose(Self.pause(after: long, isSlow: true), 2))
    }

    @Test func `two long frames of twenty are nothing, three are`() {
        let short = Array(repeating: 0.01, count: 17)
        #expect(Self.isClose(Self.pause(after: short + [0.01, 0.5, 0.5]), 0.1))
        #expect(Self.isClose(Self.pause(after: short + [0.5, 0.5, 0.5]), 0.2))
    }

    @Test func `the rate comes back when painting is easy, and stays where it is in between`() {
        let long = Array(repeating: 0.2, count: 40)
        let easy = Array(repeating: 0.01, count: 20)
        let neither = Array(repeating: 0.05, count: 100)
        #expect(Self.isClose(Self.pause(after: long + neither), 0.4))
        #expect(Self.isClose(Self.pause(after: long + easy), 0.2))
        #expect(Self.isClose(Self.pause(after: long + easy + easy + easy + easy), 0.1))
        #expect(Self.isClose(Self.pause(after: easy + easy, isSlow: true), 1))
    }

    @Test func `writing to a terminal that takes nothing is retried soon`() {
        var pacer = FramePacer(isSlow: true)
        pacer.request(.now, now: 1)
        pacer.postpone(now: 1)
        #expect(!pacer.isDue(1.04))
        #expect(pacer.isDue(1.051))
    }
}
