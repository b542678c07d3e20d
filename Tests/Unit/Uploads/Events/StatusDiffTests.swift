import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import Testing

struct StatusDiffTests {
    @Test func `an engine that is online and saves everything is not reported`() {
        var diff = StatusDiff()
        #expect(diff.take(EngineStatus()).isEmpty)
    }

    @Test func `each change is reported once`() {
        var diff = StatusDiff()
        let full = UploadFailure(.storage, "the disk is full", hint: "make room")
        let away = EngineStatus.Network.offline(since: Date(timeIntervalSince1970: 0), reason: "no address")
        let status = EngineStatus(network: away, storage: .refusing, notice: full)
        #expect(diff.take(status) == [.offline("no address"), .storage(.refusing, full)])
        #expect(diff.take(status).isEmpty)
        #expect(diff.take(EngineStatus()) == [.online, .storage(.saved, nil)])
    }

    @Test func `a notice beside the disk is reported when it comes, not when it goes`() {
        var diff = StatusDiff()
        let slow = UploadFailure(.timedOut, "half as many uploads run")
        #expect(diff.take(EngineStatus(notice: slow)) == [.notice(slow)])
        #expect(diff.take(EngineStatus(notice: slow)).isEmpty)
        #expect(diff.take(EngineStatus()).isEmpty)
    }

    @Test func `a limit that a timetable sets is reported, and one of a command is not`() {
        let until = Date(timeIntervalSince1970: 1_704_132_000)
        let slow = BandwidthLimit(.total, .atMost(2 << 20), origin: .timetable, until: until)
        let full = BandwidthLimit(.total, .unlimited, origin: .configuration, until: until + 3600)
        let commanded = BandwidthLimit(.total, .atMost(1000), origin: .command)
        var diff = StatusDiff()
        #expect(diff.take(EngineStatus(limits: [slow])) == [.limit(slow)])
        #expect(diff.take(EngineStatus(limits: [slow])).isEmpty)
        #expect(diff.take(EngineStatus(limits: [full])) == [.limit(full)])
        #expect(diff.take(EngineStatus(limits: [commanded])).isEmpty)
    }

    @Test func `a limit that is in the configuration alone is not reported`() {
        var diff = StatusDiff()
        #expect(diff.take(EngineStatus(limits: [BandwidthLimit(.total, .atMost(1000))])).isEmpty)
    }
}
