import Foundation
import Testing
import Transfer
import UploadProtocols
import Uploads

@testable import TUI

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
}
