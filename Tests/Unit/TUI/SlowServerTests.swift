import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

/// Tests the status line when a server asks to wait.
struct SlowServerTests {
    private static func pause(_ host: String, seconds: Double = 190, waiting: Int = 12) -> RetryAfterPause {
        RetryAfterPause(
            host: host, status: 503, until: Date(timeIntervalSince1970: Clock.start + seconds),
            waiting: waiting)
    }

    private static func line(
        _ pauses: [RetryAfterPause], columns: Int, isUnicode: Bool = true
    ) -> String {
        var model = Model.make([.make(1)], columns: columns, isUnicode: isUnicode)
        _ = model.change(status: EngineStatus(retryAfterPauses: pauses))
        let frame = model.frame()
        #expect(frame.row(0).allSatisfy { [.banner, .escape].contains($0.role) })
        return frame.text(0)
    }

    @Test(
        arguments: [
            (120, " ◐ SLOW  box.example asks to wait (503) until 14:03:10; 12 uploads wait  [n] try now"),
            (80, " ◐ SLOW  box.example asks to wait (503) until 14:03:10; 12 uploads wait"),
            (60, " ◐ SLOW  box.example until 14:03:10, 12 wait"),
            (40, " ◐ SLOW  503 until 14:03:10, 12 wait"),
        ])
    func `the status line names the server, the time and the waiting uploads in words that fit`(
        columns: Int, line: String
    ) {
        #expect(Self.line([Self.pause("box.example")], columns: columns) == line)
    }

    @Test func `in ASCII it has a sign of its own`() {
        #expect(
            Self.line([Self.pause("box.example")], columns: 80, isUnicode: false)
                == " % SLOW  box.example asks to wait (503) until 14:03:10; 12 uploads wait")
    }

    @Test func `the first of several slow servers is named, with the number of the others`() {
        let pauses = [
            Self.pause("a.example"), Self.pause("b.example", seconds: 9, waiting: 1), Self.pause("c.example"),
        ]
        #expect(
            Self.line(pauses, columns: 120)
                == " ◐ SLOW  a.example asks to wait (503) until 14:03:10, and 2 more; 25 uploads wait  [n] try now"
        )
        #expect(Self.line(pauses, columns: 60) == " ◐ SLOW  a.example +2 until 14:03:10, 25 wait")
    }

    @Test(arguments: [
        (120, " ◐ SLOW  box.example until 14:03:10, 12 wait  ↑ 0 B/s  1 of 4 uploading"),
        (80, " ◐ SLOW  503 until 14:03:10, 12 wait  ↑ 0 B/s  1 of 4 uploading"),
        (40, " ◐ SLOW  503 until … ↑0B/s 1 up"),
    ])
    func `while other uploads run, the server that asks to wait takes only the beginning`(
        columns: Int, line: String
    ) {
        var model = Model.make([.make(1, state: .running)], columns: columns)
        _ = model.change(status: EngineStatus(retryAfterPauses: [Self.pause("box.example")]))
        #expect(model.frame().text(0).hasPrefix(line))
    }

    @Test func `a host that cannot be reached is more important than one that asks to wait`() {
        var model = Model.make([.make(1)])
        let host = UnreachableHost(host: "nas.local", reason: "refuses connections", waiting: 5)
        _ = model.change(
            status: EngineStatus(
                retryAfterPauses: [Self.pause("box.example")], unreachableHosts: [host]))
        #expect(model.frame().text(0).contains("nas.local refuses connections"))
    }

    @Test func `when it is over the line is as before`() {
        var model = Model.make([.make(1)])
        let before = model.frame().text(0)
        _ = model.change(status: EngineStatus(retryAfterPauses: [Self.pause("box.example")]))
        _ = model.change(status: EngineStatus())
        #expect(model.frame().text(0) == before)
    }

    @Test func `without a network the first line does not name servers that ask to wait`() {
        var model = Model.make([.make(1)])
        let away = EngineStatus.Network.offline(since: Clock.at(0).date, reason: "no address")
        _ = model.change(status: EngineStatus(network: away, retryAfterPauses: [Self.pause("box.example")]))
        #expect(model.frame().text(0).contains("OFFLINE"))
    }

    @Test func `a host's name cannot leave the line`() {
        let line = Self.line([Self.pause("evil\u{1B}[2J")], columns: 80)
        #expect(line.contains("evil\\e[2J asks to wait"))
    }

    @Test func `the log has it once, however many wait and whatever the clock says`() {
        var model = Model.make([.make(1)])
        for waiting in 1...5 {
            let pause = Self.pause("box.example", seconds: 190 + Double(waiting) / 100, waiting: waiting)
            _ = model.change(status: EngineStatus(retryAfterPauses: [pause]))
        }
        #expect(
            model.log.entries.map(\.text) == ["box.example asks to wait (503) until 14:03:10; 1 upload waits"]
        )
        _ = model.change(status: EngineStatus(retryAfterPauses: [Self.pause("box.example", seconds: 400)]))
        #expect(model.log.entries.count == 2)
    }

    @Test func `fewer uploads at a time for a host that is slow has the same sign`() {
        var model = Model.make([.make(1)])
        let slow = UploadFailure(.timedOut, "requests to box.example time out: 1 at a time for now")
        _ = model.change(status: EngineStatus(notice: slow))
        #expect(model.frame().text(0) == " ◐ SLOW  \(slow.summary)")
    }

    @Test(arguments: [
        (120, "◐ nas.local refuses connections (and 1 more); 7 uploads wait  [n] try now"),
        (80, "◐ nas.local refuses connections (and 1 more); 7 uploads wait  [n] try now"),
        (40, "◐ nas.local refuses connections"),
    ])
    func `a host that does not respond is named, with what is wrong and how many wait`(
        columns: Int, line: String
    ) {
        var model = Model.make([.make(1)], columns: columns)
        let hosts = [
            UnreachableHost(host: "nas.local", reason: "refuses connections", waiting: 5),
            UnreachableHost(host: "other.example", reason: "is not found", waiting: 2),
        ]
        _ = model.change(status: EngineStatus(unreachableHosts: hosts))
        #expect(model.frame().text(0).trimmingCharacters(in: .whitespaces) == line)
    }

    @Test func `refused credentials are shown until those uploads are retried`() {
        let refused = Upload.State.held(
            UploadFailure(.authentication, "401 the token has expired", status: 401))
        var model = Model.make([.make(1, state: refused), .make(2, state: refused), .make(3)])
        #expect(
            model.frame().text(0).hasPrefix(
                " ! SIGN IN  box: 401 the token has expired; 2 uploads held  [R] try again"))
        _ = model.change(.make(1), .make(2))
        #expect(model.frame().text(0).contains("online"))
    }
}
