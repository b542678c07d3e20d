import FerryProtocols
import FerryTestSupport
import FerryTransfer
import FerryUploads
import Foundation
import Testing

/// Tests which events a queue's updates cause.
struct QueueEventDetectorTests {
    private func events(_ updates: QueueUpdate...) -> [String] {
        var detector = QueueEventDetector()
        return updates.flatMap { detector.take($0) }.compactMap { event in
            switch event {
            case .upload(let event): event.outcome.map { "\($0) \(event.upload.id)" }
            case .idle(let counts):
                "idle "
                    + counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key)" }
                    .joined(separator: ", ")
            case .status(.offline(let reason)): "offline: \(reason)"
            case .status(.online): "online"
            case .status(.storage(.refusing, let failure)): "notSaved: \(failure?.summary ?? "")"
            case .status: nil
            }
        }
    }

    /// Returns the kinds of the uploads' events, including those for uploads that were there before.
    private func kinds(_ updates: QueueUpdate...) -> [String] {
        var detector = QueueEventDetector(reportsStanding: true)
        return updates.flatMap { detector.take($0) }.compactMap { event in
            if case .upload(let event) = event { "\(event.kind) \(event.upload.id)" } else { nil }
        }
    }

    @Test func `a new observer gets events of running, waiting, held and failed uploads`() {
        let standing: [Upload] = [
            .boxed(1), .boxed(2, .running), .boxed(3, .waiting), .boxed(4, .held), .boxed(5, .failed),
            .boxed(6, .done), .boxed(7, .paused(.user)),
        ]
        #expect(kinds(.whole(standing)) == ["began 2", "waits 3", "held 4", "failed 5"])
    }

    @Test func `an upload is reported from its addition to its removal`() {
        #expect(
            kinds(
                .whole([]), .change([.boxed(1)]), .change([.boxed(1, .running, attempts: 1)]),
                .change([.boxed(1, .paused(.user), attempts: 1)]), .change(removed: [1]))
                == ["added 1", "began 1", "paused 1", "removed 1"])
    }

    @Test func `a done upload that leaves the queue is not reported as removed`() {
        #expect(
            kinds(.whole([.boxed(1, .running)]), .change([.boxed(1, .done)]), .change(removed: [1])) == [
                "began 1", "done 1",
            ])
    }

    @Test func `an upload that goes offline is not reported while the queue is offline`() {
        let since = Date(timeIntervalSince1970: 0)
        let offline = EngineStatus(network: .offline(since: since, reason: "no address"))
        #expect(
            kinds(.whole([.boxed(1, .running)]), .change([.boxed(1, .paused(.offline))], status: offline))
                == ["began 1"])
    }

    @Test func `an upload that is held for another reason is reported again`() {
        let other = Upload.State.held(UploadFailure(.outcomeUnknown, "no answer came"))
        #expect(
            events(.whole([.boxed(1)]), .change([.boxed(1, .held)]), .change([.boxed(1, other)]))
                == ["held 1", "idle 1 held", "held 1", "idle 1 held"])
    }

    @Test func `an upload that was over before is no event`() {
        #expect(events(.whole([.boxed(1, .done), .boxed(2, .failed), .boxed(3, .held)])) == [])
    }

    @Test func `an empty queue that stays empty is no event`() {
        #expect(events(.whole([]), .change()) == [])
    }

    @Test(arguments: [(.done, "done"), (.failed, "failed"), (.held, "held")] as [(Upload.State, String)])
    func `each end is reported once, and then that nothing is left`(state: Upload.State, name: String) {
        let upload = Upload.boxed(1, state, attempts: 1)
        #expect(
            events(
                .whole([.boxed(1)]), .change([.boxed(1, .running, attempts: 1)]), .change([upload]),
                .change([upload]), .change()) == ["\(name) 1", "idle 1 \(name)"])
    }

    @Test func `an upload that waits for a failed one does not delay the idle event`() {
        var waiting = Upload.boxed(2)
        waiting.start = .init(after: [1...1])
        #expect(
            events(.whole([.boxed(1), waiting]), .change([.boxed(1, .failed, attempts: 1)]))
                == ["failed 1", "idle 1 failed"])
    }

    @Test func `an upload that came and was done between two updates is reported`() {
        #expect(events(.whole([]), .change([.boxed(1, .done, attempts: 1)])) == ["done 1", "idle 1 done"])
    }

    @Test func `an upload that is retried and fails again is reported again`() {
        #expect(
            events(
                .whole([.boxed(1)]), .change([.boxed(1, .failed, attempts: 1)]),
                .change([.boxed(1, .running, attempts: 2)]), .change([.boxed(1, .failed, attempts: 2)]))
                == ["failed 1", "idle 1 failed", "failed 1", "idle 1 failed"])
    }

    @Test func `an upload that failed again is reported again although its update was merged`() {
        #expect(
            events(
                .whole([.boxed(1, .failed, attempts: 1)]), .change([.boxed(1, .failed, attempts: 2)]))
                == ["failed 1", "idle 1 failed"])
    }

    @Test func `an upload that failed and then arrived counts by its end alone`() {
        #expect(
            events(
                .whole([.boxed(1), .boxed(2)]), .change([.boxed(1, .failed, attempts: 1)]),
                .change([.boxed(1, .queued, attempts: 1)]), .change([.boxed(1, .done, attempts: 2)]),
                .change([.boxed(2, .done, attempts: 1)]))
                == ["failed 1", "done 1", "done 2", "idle 2 done"])
    }

    @Test func `waiting and being offline are not the end`() {
        #expect(
            events(
                .whole([.boxed(1), .boxed(2), .boxed(3)]), .change([.boxed(1, .done, attempts: 1)]),
                .change([.boxed(2, .waiting), .boxed(3, .paused(.offline))])) == ["done 1"])
    }

    @Test func `an upload that the user paused does not delay the idle event`() {
        #expect(
            events(
                .whole([.boxed(1), .boxed(2)]), .change([.boxed(2, .paused(.user))]),
                .change([.boxed(1, .done, attempts: 1)])) == ["done 1", "idle 1 done"])
    }

    @Test func `pausing or removing the last one alone reports nothing`() {
        #expect(events(.whole([.boxed(1)]), .change([.boxed(1, .paused(.user))])) == [])
        #expect(events(.whole([.boxed(1)]), .change(removed: [1])) == [])
    }

    @Test func `with the last one removed nothing is left`() {
        #expect(
            events(
                .whole([.boxed(1), .boxed(2)]), .change([.boxed(1, .done, attempts: 1)]),
                .change(removed: [2]))
                == ["done 1", "idle 1 done"])
    }

    @Test func `an upload that is put back into the queue is not reported again`() {
        let done = Upload.boxed(1, .done, attempts: 1)
        #expect(
            events(.whole([.boxed(1)]), .change([done]), .change(removed: [1]), .change([done]))
                == ["done 1", "idle 1 done"])
    }

    @Test func `a repeated update of the whole queue reports only what is new`() {
        let first = Upload.boxed(1, .done, attempts: 1)
        #expect(
            events(
                .whole([.boxed(1), .boxed(2), .boxed(3)]), .change([first]),
                .whole([first, .boxed(2, .failed, attempts: 1), .boxed(4, .done, attempts: 1)]))
                == ["done 1", "failed 2", "done 4", "idle 2 done, 1 failed"])
    }

    @Test func `ten thousand that are done at once are ten thousand events in order`() {
        var detector = QueueEventDetector()
        _ = detector.take(.whole((1...10_000).map { .boxed($0) }))
        let events = detector.take(.change((1...10_000).reversed().map { .boxed($0, .done, attempts: 1) }))
        #expect(events.compactMap(\.upload) == Array(1...10_000))
        #expect(events.last == .idle([.done: 10_000]))
        #expect(events.count == 10_001)
    }

    @Test func `the network and the disk are reported when they change`() {
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
}
