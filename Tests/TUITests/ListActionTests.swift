import FerryProtocols
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

@Suite struct ListActionTests {
    @Test func `p pauses what can be paused, and lets go on what is paused`() {
        var model = Model.make([
            .make(1, state: .running), .make(2, state: .paused(.user)), .make(3, state: .done),
        ])
        _ = model.update(.key(.control("a")))
        var effects = model.type("p")
        #expect(effects.commands == [.pause(.ids([1]))])
        _ = model.change(.make(1, state: .paused(.user)))
        effects = model.type("p")
        #expect(effects.commands == [.resume(.ids([1, 2]))])
    }

    @Test func `pausing offline keeps it paused when the network comes back`() {
        var model = Model.make([.make(1, state: .paused(.offline))])
        let effects = model.type("p")
        #expect(effects.commands == [.pause(.ids([1]))])
    }

    @Test func `pausing what cannot resume says that it starts again from 0`() {
        var model = Model.make([.make(1, name: "a.mov", state: .running, method: "put")])
        _ = model.update(.progress([ProgressSample(id: 1, sent: 500, confirmed: 0, phase: .sending)]))
        guard case .perform(_, let request)? = model.type("p").first else {
            Issue.record("nothing was asked for")
            return
        }
        _ = model.update(.replied(.changed([1]), to: request))
        #expect(model.toast?.text == "paused a.mov; a.mov starts again from 0: PUT cannot resume")
        #expect(model.toast?.kind == .warning)
    }

    @Test func `r tries again what failed, waits or needs a decision`() {
        var model = Model.make([
            .make(1, state: .failed), .make(2, state: .waiting(9)), .make(3, state: .changed), .make(4),
            .make(5, state: .done),
        ])
        _ = model.update(.key(.control("a")))
        let effects = model.type("r")
        #expect(effects.commands == [.retry(.ids([1, 2, 3]))])
    }

    @Test(arguments: [("K", QueueMove.up), ("J", .down), ("T", .top), ("B", .bottom)])
    func `moving takes the marked as a block in queue order`(key: String, direction: QueueMove) {
        var model = Model.make((1...5).map { .make($0) })
        model.type("gj  ")
        let effects = model.type(key)
        #expect(effects.commands == [.move(.ids([2, 3]), direction)])
    }

    @Test func `keys for the whole queue say so`() {
        var model = Model.make([.make(1, state: .failed), .make(2, state: .done), .make(3)])
        var effects = model.type("R")
        #expect(effects.commands == [.retry(.failed)])
        effects = model.type("X")
        #expect(effects.commands == [.remove(.done)])
        effects = model.type("P")
        #expect(effects.commands == [.pause(.all)])
        effects = model.type("n")
        #expect(effects.commands == [.tryNow])
    }

    @Test(arguments: ["p", "r", "x", "K", "J", "T", "B", " ", "X", "R", "P", "*", "G", "g", "j", "k"])
    func `in an empty queue every key is harmless`(key: String) {
        var model = Model.make()
        let effects = model.type(key)
        #expect(effects.commands.isEmpty)
        #expect(model.context == .list)
    }

    @Test func `a refusal is shown with what to do about it`() {
        var model = Model.make([.make(1)])
        _ = model.update(
            .replied(.refused(UploadFailure(.storage, "the disk is full", hint: "make room")), to: .retry))
        #expect(model.toast?.text == "the disk is full; make room")
        #expect(model.toast?.kind == .failure)
    }

    @Test func `a toast goes by itself`() {
        var model = Model.make()
        model.type("X")
        let expires = model.toast?.expires ?? 0
        #expect(model.deadline == expires)
        _ = model.pass(to: expires - 1000 + 0.01)
        #expect(model.toast == nil)
        #expect(model.deadline == nil)
    }

    @Test func `nothing is due while nothing runs`() {
        #expect(Model.make((1...5).map { .make($0) }).deadline == nil)
        #expect(Model.make([.make(1, state: .running)]).deadline != nil)
        #expect(Model.make([.make(1, state: .waiting(30))]).deadline != nil)
    }

    @Test func `u takes the last order back, and Ctrl-R gives it again`() {
        var model = Model.make([.make(1)])
        #expect(model.type("u").commands == [.undo])
        #expect(model.update(.key(.control("r"))).commands == [.redo])
    }

    @Test func `the cursor goes to what was put back`() {
        var model = Model.make((1...40).map { .make($0) })
        model.type("g")
        _ = model.update(.replied(.reversed(.putBack, [31, 30]), to: .undo))
        #expect(model.cursor?.id == 30)
        #expect(model.frame().description.contains("file-30.bin"))
    }

    @Test(arguments: [
        (QueueChangeKind.putBack, Request.undo, "undone: put back a.mov; Ctrl-R does it again"),
        (.resumed, .undo, "undone: a.mov goes on; Ctrl-R does it again"),
        (.moved, .redo, "done again: moved a.mov"),
    ])
    func `what was undone is said`(change: QueueChangeKind, request: Request, text: String) {
        var model = Model.make([.make(1, name: "a.mov")])
        _ = model.update(.replied(.reversed(change, [1]), to: request))
        #expect(model.toast?.text == text)
    }
}
