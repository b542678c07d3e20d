import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

@Suite struct StatusWatchTests {
    @Test func `an engine that is online and saves everything is no news`() {
        var watch = StatusWatch()
        #expect(watch.take(EngineStatus()).isEmpty)
    }

    @Test func `each change is told once`() {
        var watch = StatusWatch()
        let full = UploadFailure(.storage, "the disk is full", hint: "make room")
        let away = EngineStatus.Network.offline(since: Date(timeIntervalSince1970: 0), reason: "no address")
        let status = EngineStatus(network: away, storage: .refusing, notice: full)
        #expect(watch.take(status) == [.offline("no address"), .storage(.refusing, full)])
        #expect(watch.take(status).isEmpty)
        #expect(watch.take(EngineStatus()) == [.online, .storage(.saved, nil)])
    }

    @Test func `a notice beside the disk is told when it comes, not when it goes`() {
        var watch = StatusWatch()
        let slow = UploadFailure(.timedOut, "half as many uploads run")
        #expect(watch.take(EngineStatus(notice: slow)) == [.notice(slow)])
        #expect(watch.take(EngineStatus(notice: slow)).isEmpty)
        #expect(watch.take(EngineStatus()).isEmpty)
    }

    @Test func `what a timetable comes to is told, and what people order is not`() {
        let until = Date(timeIntervalSince1970: 1_704_132_000)
        let slow = BandwidthLimit(.total, .atMost(2 << 20), origin: .timetable, until: until)
        let full = BandwidthLimit(.total, .unlimited, origin: .configuration, until: until + 3600)
        let ordered = BandwidthLimit(.total, .atMost(1000), origin: .command)
        var watch = StatusWatch()
        #expect(watch.take(EngineStatus(limits: [slow])) == [.limit(slow)])
        #expect(watch.take(EngineStatus(limits: [slow])).isEmpty)
        #expect(watch.take(EngineStatus(limits: [full])) == [.limit(full)])
        #expect(watch.take(EngineStatus(limits: [ordered])).isEmpty)
        let sentence = StatusChange.limit(slow).sentence(at: until - 60, in: .gmt)
        #expect(sentence == "by the timetable, all uploads together: 2 MB/s until 18:00")
    }

    @Test func `a limit that is in the configuration alone is no news`() {
        var watch = StatusWatch()
        #expect(watch.take(EngineStatus(limits: [BandwidthLimit(.total, .atMost(1000))])).isEmpty)
    }
}
