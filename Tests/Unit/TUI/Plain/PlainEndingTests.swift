import FerryProtocols
import FerryTransfer
import FerryUploads
import Testing

@testable import FerryTUI

@Suite struct PlainEndingTests {
    @Test func `quitting when nothing runs asks nothing`() {
        var plain = PlainModel.make([.make(1)])
        #expect(plain.type("quit").outcome == .quit)
    }

    @Test(arguments: [PlainMessage.typed(.text("quit")), .inputEnded])
    func `quitting while something runs asks once`(message: PlainMessage) {
        var plain = PlainModel.make([.make(1, state: .running)])
        let asked = plain.update(message)
        #expect(asked.outcome == nil)
        #expect(
            asked.lines
                == ["1 upload is running; type `quit` again to quit; the demo's files are removed"])
        #expect(plain.update(message).outcome == .quit)
    }

    @Test func `outside of a demo the question says that unfinished uploads resume`() {
        var plain = PlainModel.make([.make(1, state: .running)], ownership: .detachable)
        #expect(plain.type("quit").lines.first?.hasSuffix("; unfinished uploads resume next time") == true)
    }

    @Test func `another command in between takes the first quit back`() {
        var plain = PlainModel.make([.make(1, state: .running)])
        _ = plain.type("quit")
        _ = plain.type("list")
        #expect(plain.type("quit").outcome == nil)
    }

    @Test func `at the end of a pipe it continues until nothing is left to run`() {
        var plain = PlainModel.make([.make(1, state: .running)], readsTerminal: false)
        let ended = plain.update(.inputEnded)
        #expect(ended.waitsUntilIdle)
        #expect(ended.outcome == nil)
        // The last update may arrive after the queue has become idle.
        #expect(plain.update(.idle).outcome == nil)
        let last = plain.change([.make(1, state: .done)])
        #expect(last.outcome == .quitWhenIdle)
        #expect(last.lines.first?.hasPrefix("upload 1 done") == true)
    }

    @Test func `the end of a pipe waits for what was asked before`() throws {
        var plain = PlainModel.make(readsTerminal: false)
        _ = plain.type("add x")
        #expect(!plain.update(.inputEnded).waitsUntilIdle)
        let found = plain.update(.news(.previewed(FileSelection(), number: 1)))
        #expect(found.waitsUntilIdle)
        #expect(found.lines.contains("nothing to add"))
    }

    @Test func `an empty queue and no input end at once`() {
        var plain = PlainModel.make(readsTerminal: false)
        #expect(plain.update(.inputEnded).waitsUntilIdle)
        #expect(plain.update(.idle).outcome == .quitWhenIdle)
    }

    @Test func `failed uploads and uploads that the user paused do not delay the end`() {
        var plain = PlainModel.make(
            [.make(1, state: .failed), .make(2, state: .paused(.user))], readsTerminal: false)
        _ = plain.update(.inputEnded)
        #expect(plain.update(.idle).outcome == .quitWhenIdle)
    }

    @Test func `an upload that cannot run delays the end for a limited time`() {
        var plain = PlainModel.make([.make(1)], readsTerminal: false)
        _ = plain.update(.inputEnded)
        #expect(plain.update(.idle).outcome == nil)
        #expect(plain.deadline != nil)
        #expect(plain.pass(to: 1).outcome == .quitWhenIdle)
    }

    @Test func `a signal ends it with the events that were not printed yet`() {
        var plain = PlainModel.make((1...20).map { .make($0, state: .running) })
        _ = plain.change((1...10).map { .make($0, state: .done) })
        _ = plain.change([.make(11, state: .done)])
        let effects = plain.update(.ended(.signal(15)))
        #expect(effects.outcome == .signal(15))
        #expect(effects.lines.first?.hasPrefix("11 done (") == true, "\(effects.lines)")
    }

    @Test func `an engine that stops ends it`() {
        var plain = PlainModel.make([.make(1, state: .running)])
        #expect(plain.update(.news(.queueEnded)).outcome == .quitWhenIdle)
    }
}
