import FerryConnectivity
import Testing

@Suite struct ProbeScheduleTests {
    @Test func `a destination is reachable and left alone until something fails`() {
        let schedule = ProbeSchedule()
        #expect(schedule.isReachable)
        #expect(schedule.delay == nil)
    }

    @Test func `one failure is doubted and not believed`() {
        var schedule = ProbeSchedule()
        #expect(schedule.record(.timedOut) == false)
        #expect(schedule.isReachable)
        #expect(schedule.delay == .milliseconds(250))
    }

    @Test(arguments: [
        Reachability.refused, .unreachable(reason: "no route to host"), .timedOut, .nameNotFound,
    ])
    func `N2 two failures in a row make a destination unreachable`(failure: Reachability) {
        var schedule = ProbeSchedule()
        schedule.record(failure)
        #expect(schedule.record(failure) == true)
        #expect(!schedule.isReachable)
    }

    @Test func `a success between two failures keeps a destination reachable`() {
        var schedule = ProbeSchedule()
        for answer in [Reachability.refused, .reachable, .refused] { schedule.record(answer) }
        #expect(schedule.isReachable)
    }

    @Test func `one success makes a destination reachable at once`() {
        var schedule = ProbeSchedule()
        for _ in 1...100 { schedule.record(.timedOut) }
        #expect(schedule.record(.reachable) == true)
        #expect(schedule.isReachable)
        #expect(schedule.delay == nil)
    }

    @Test func `N2 short outages are noticed soon, and long ones cost little`() {
        var schedule = ProbeSchedule()
        let delays = (1...33).map { _ in
            schedule.record(.timedOut)
            return schedule.delay
        }
        let quick = Array(repeating: Duration.milliseconds(250), count: 8)
        let slower = Array(repeating: Duration.milliseconds(500), count: 8)
        let steady = Array(repeating: Duration.seconds(1), count: 10)
        #expect(delays == quick + slower + steady + [2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
    }
}
