import FerryProtocols
import FerryTUI
import FerryUploads
import Foundation
import Testing

@testable import FerryCommand

/// Updates of a queue in, events out.
struct QueueWatchTests {
    private func events(_ updates: QueueUpdate...) -> [String] {
        var watch = QueueWatch()
        return updates.flatMap { watch.take($0) }.map { event in
            switch event {
            case .ended(let outcome, let upload): "\(outcome) \(upload.id)"
            case .idle(let counts):
                "idle "
                    + counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key)" }
                    .joined(separator: ", ")
            case .offline(let reason): "offline: \(reason)"
            case .online: "online"
            case .notSaved(let failure): "notSaved: \(failure?.summary ?? "")"
            }
        }
    }

    @Test func `what was over before is no event`() {
        #expect(events(.whole([.make(1, .done), .make(2, .failed), .make(3, .held)])) == [])
    }

    @Test func `an empty queue that stays empty is no event`() {
        #expect(events(.whole([]), .change()) == [])
    }

    @Test(arguments: [(.done, "done"), (.failed, "failed"), (.held, "held")] as [(Upload.State, String)])
    func `each end is told once, and then that nothing is left`(state: Upload.State, name: String) {
        let upload = Upload.make(1, state, attempts: 1)
        #expect(
            events(
                .whole([.make(1)]), .change([.make(1, .running, attempts: 1)]), .change([upload]),
                .change([upload]), .change()) == ["\(name) 1", "idle 1 \(name)"])
    }

    @Test func `what waits for one that failed is nothing that is left to do`() {
        var waiting = Upload.make(2)
        waiting.start = .init(after: [1...1])
        #expect(
            events(.whole([.make(1), waiting]), .change([.make(1, .failed, attempts: 1)]))
                == ["failed 1", "idle 1 failed"])
    }

    @Test func `an upload that came and was done between two updates is told`() {
        #expect(events(.whole([]), .change([.make(1, .done, attempts: 1)])) == ["done 1", "idle 1 done"])
    }

    @Test func `one that is tried again and fails again is told again`() {
        #expect(
            events(
                .whole([.make(1)]), .change([.make(1, .failed, attempts: 1)]),
                .change([.make(1, .running, attempts: 2)]), .change([.make(1, .failed, attempts: 2)]))
                == ["failed 1", "idle 1 failed", "failed 1", "idle 1 failed"])
    }

    @Test func `one that failed again is told again although its update was merged with the one before`() {
        #expect(
            events(
                .whole([.make(1, .failed, attempts: 1)]), .change([.make(1, .failed, attempts: 2)]))
                == ["failed 1", "idle 1 failed"])
    }

    @Test func `of one that failed and then arrived only the end counts`() {
        #expect(
            events(
                .whole([.make(1), .make(2)]), .change([.make(1, .failed, attempts: 1)]),
                .change([.make(1, .queued, attempts: 1)]), .change([.make(1, .done, attempts: 2)]),
                .change([.make(2, .done, attempts: 1)]))
                == ["failed 1", "done 1", "done 2", "idle 2 done"])
    }

    @Test func `waiting and being offline are not the end`() {
        #expect(
            events(
                .whole([.make(1), .make(2), .make(3)]), .change([.make(1, .done, attempts: 1)]),
                .change([.make(2, .waiting), .make(3, .paused(.offline))])) == ["done 1"])
    }

    @Test func `what somebody paused is not waited for`() {
        #expect(
            events(
                .whole([.make(1), .make(2)]), .change([.make(2, .paused(.user))]),
                .change([.make(1, .done, attempts: 1)])) == ["done 1", "idle 1 done"])
    }

    @Test func `pausing or removing the last one alone tells nothing`() {
        #expect(events(.whole([.make(1)]), .change([.make(1, .paused(.user))])) == [])
        #expect(events(.whole([.make(1)]), .change(removed: [1])) == [])
    }

    @Test func `with the last one removed nothing is left`() {
        #expect(
            events(
                .whole([.make(1), .make(2)]), .change([.make(1, .done, attempts: 1)]), .change(removed: [2]))
                == ["done 1", "idle 1 done"])
    }

    @Test func `what is put back into the queue is not told again`() {
        let done = Upload.make(1, .done, attempts: 1)
        #expect(
            events(.whole([.make(1)]), .change([done]), .change(removed: [1]), .change([done]))
                == ["done 1", "idle 1 done"])
    }

    @Test func `the whole queue told anew brings only what is new`() {
        let first = Upload.make(1, .done, attempts: 1)
        #expect(
            events(
                .whole([.make(1), .make(2), .make(3)]), .change([first]),
                .whole([first, .make(2, .failed, attempts: 1), .make(4, .done, attempts: 1)]))
                == ["done 1", "failed 2", "done 4", "idle 2 done, 1 failed"])
    }

    @Test func `ten thousand that are done at once are ten thousand events in order`() {
        var watch = QueueWatch()
        _ = watch.take(.whole((1...10_000).map { .make($0) }))
        let events = watch.take(.change((1...10_000).reversed().map { .make($0, .done, attempts: 1) }))
        #expect(events.compactMap(\.upload) == Array(1...10_000))
        #expect(events.last == .idle([.done: 10_000]))
        #expect(events.count == 10_001)
    }

    @Test func `the network and the disk are told when they change`() {
        let since = Date(timeIntervalSince1970: 0)
        let offline = EngineStatus(network: .offline(since: since, reason: "no address"))
        let full = EngineStatus(storage: .refusing, notice: UploadFailure(.permanent, "the disk is full"))
        #expect(
            events(
                .whole([]), .change(status: offline), .change(status: offline), .change(),
                .change(status: full),
                .change()) == ["offline: no address", "online", "notSaved: the disk is full"])
        #expect(events(.whole([], status: offline)) == ["offline: no address"])
    }

    @Test func `commands read the names of --json`() throws {
        let lines = [
            QueueEvent.idle([.done: 2, .held: 1]).line, QueueEvent.offline(reason: "no\naddress").line,
            QueueEvent.online.line,
            QueueEvent.notSaved(UploadFailure(.permanent, "full", hint: "make room")).line,
        ]
        #expect(
            lines == [
                #"{"counts":{"done":2,"held":1},"event":"idle"}"#,
                #"{"event":"offline","reason":"no\naddress"}"#, #"{"event":"online"}"#,
                #"{"event":"notSaved","hint":"make room","text":"full"}"#,
            ])
        let failed = QueueEvent.ended(.failed, .make(7, .failed, attempts: 3)).line
        let line = try JSONDecoder().decode(UploadLine.self, from: Data(failed.utf8))
        #expect(
            line.event == "failed" && line.id == 7 && line.error == "no write access" && line.attempts == 3)
    }
}
