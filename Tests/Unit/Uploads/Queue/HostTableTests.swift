import FerryConnectivity
import FerryProtocols
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

struct HostTableTests {
    private static let host = UploadHost(name: "host.test", port: 443, isLocal: false)
    private static let start = ContinuousClock.now
    private static let portal = UploadFailure(.signInPage, "sign in")

    private static func after(_ seconds: Double) -> ContinuousClock.Instant {
        start.advanced(by: .seconds(seconds))
    }

    private static func moment(_ seconds: Double) -> Moment {
        Moment(instant: after(seconds), date: Date(timeIntervalSince1970: seconds))
    }

    /// Returns whether `table` permits an upload to the host after this number of seconds.
    private static func permission(
        _ table: HostTable, running: Int = 0, after seconds: Double = 0
    ) -> HostTable.Permission {
        table.permission(at: host, running: running, now: after(seconds))
    }

    private var table = HostTable()

    @Test func `a host of which nothing is known may be used at once`() {
        #expect(Self.permission(table) == .now)
    }

    @Test mutating func `without a link only this machine may be used`() {
        _ = table.linkIsDown(because: "no route", at: Self.moment(0))
        #expect(Self.permission(table) == .untilItReturns)
        let local = UploadHost(name: "localhost", port: 80, isLocal: true)
        #expect(table.permission(at: local, running: 0, now: Self.start) == .now)
    }

    @Test mutating func `a user may force what the link forbids until the next attempt fails`() {
        _ = table.linkIsDown(because: "no route", at: Self.moment(0))
        table.force()
        #expect(Self.permission(table) == .now)
        table.endForce()
        #expect(Self.permission(table) == .untilItReturns)
    }

    @Test mutating func `a host that asks for a pause gets it`() {
        table.pause(Self.host, seconds: 60, status: 503, now: Self.start)
        #expect(Self.permission(table, after: 59) == .notBefore(Self.after(60)))
        #expect(Self.permission(table, after: 60) == .now)
    }

    @Test mutating func `the longer of two pauses applies`() {
        table.pause(Self.host, seconds: 60, status: 503, now: Self.start)
        table.pause(Self.host, seconds: 10, status: 429, now: Self.start)
        #expect(Self.permission(table) == .notBefore(Self.after(60)))
    }

    @Test mutating func `behind a captive portal one upload may look after ten seconds`() {
        table.portalResponded(for: Self.host, Self.portal, now: Self.start)
        #expect(Self.permission(table, after: 9) == .notBefore(Self.after(10)))
        #expect(Self.permission(table, after: 10) == .now)
        #expect(Self.permission(table, running: 1, after: 10) == .notBefore(Self.after(30)))
    }

    @Test mutating func `the host's own response ends a captive portal`() {
        table.portalResponded(for: Self.host, Self.portal, now: Self.start)
        let mayOthersWait = table.responded(Self.host)
        #expect(mayOthersWait)
        #expect(Self.permission(table) == .now)
    }

    @Test mutating func `another network ends a captive portal`() {
        table.portalResponded(for: Self.host, Self.portal, now: Self.start)
        let (mayStart, _) = table.linkIsUp(generation: 1, at: Self.moment(0))
        #expect(mayStart)
        #expect(Self.permission(table) == .now)
    }

    @Test mutating func `without descriptors nothing starts for a second, wherever it goes`() {
        table.descriptorsRanOut(UploadFailure(.descriptors, "too many open files"), now: Self.start)
        #expect(Self.permission(table) == .notBefore(Self.after(1)))
        #expect(Self.permission(table, after: 1) == .now)
    }

    @Test mutating func `a host that fails twice is blocked until a probe reaches it`() throws {
        table.count([Self.host: 1])
        for _ in 0..<2 { table.transferFailed(at: Self.host, now: Self.start) }
        #expect(Self.permission(table) == .untilItReturns)
        let due = table.dueProbes(at: Self.after(1))
        let probe = try #require(due.first)
        let isBack = table.probed(Self.host, number: probe.number, .reachable, now: Self.after(2))
        #expect(isBack == true)
        #expect(Self.permission(table, after: 2) == .now)
    }

    @Test mutating func `a host where nothing is pending is not probed`() {
        table.count([:])
        table.transferFailed(at: Self.host, now: Self.start)
        let due = table.dueProbes(at: Self.after(1))
        #expect(due.isEmpty)
        #expect(table.nextProbe == nil)
    }

    @Test mutating func `the result of a probe that is not needed any more counts for nothing`() throws {
        table.count([Self.host: 1])
        table.transferFailed(at: Self.host, now: Self.start)
        let due = table.dueProbes(at: Self.after(1))
        let probe = try #require(due.first)
        table.responded(Self.host)
        let isBack = table.probed(Self.host, number: probe.number, .refused, now: Self.after(2))
        #expect(isBack == nil)
        #expect(Self.permission(table, after: 2) == .now)
    }

    @Test mutating func `the next instant is the first at which more may start`() {
        table.pause(Self.host, seconds: 60, status: 503, now: Self.start)
        table.portalResponded(for: Self.host, Self.portal, now: Self.start)
        #expect(table.nextInstant(after: Self.start) == Self.after(10))
        #expect(table.nextInstant(after: Self.after(40)) == Self.after(60))
    }

    @Test mutating func `a pause that is over is forgotten`() {
        table.pause(Self.host, seconds: 60, status: 503, now: Self.start)
        table.prune(at: Self.after(60))
        #expect(table.nextInstant(after: Self.start) == nil)
    }

    @Test mutating func `a host's pause also applies over a new proxy`() {
        let proxied = UploadHost(
            name: "host.test", port: 443, isLocal: false, proxy: ProxyAddress(host: "proxy", port: 1))
        table.pause(Self.host, seconds: 60, status: 503, now: Self.start)
        table.carryPausesOver(to: [proxied])
        #expect(table.permission(at: proxied, running: 0, now: Self.start) == .notBefore(Self.after(60)))
    }
}
