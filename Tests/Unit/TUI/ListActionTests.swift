import FerryProtocols
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

@Suite struct ListActionTests {
    @Test func `p pauses what can be paused, and resumes what is paused`() {
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

    @Test(arguments: ["x", "p", "r", "K"])
    func `an upload that does not fit on the screen is not changed`(key: String) {
        var model = Model.make([.make(1, state: .running), .make(2)], rows: 5, columns: 20)
        #expect(model.type(key).commands.isEmpty)
        #expect(model.toast.current?.text == "list does not fit")
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
        #expect(model.toast.current?.text == "paused a.mov; a.mov starts again from 0: PUT cannot resume")
        #expect(model.toast.current?.kind == .warning)
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
        #expect(model.toast.current?.text == "the disk is full; make room")
        #expect(model.toast.current?.kind == .error)
    }

    @Test func `a toast goes by itself`() {
        var model = Model.make()
        model.type("X")
        let expires = model.toast.current?.expires ?? 0
        #expect(model.deadline == expires)
        _ = model.pass(to: expires - 1000 + 0.01)
        #expect(model.toast.current == nil)
        #expect(model.deadline == nil)
    }

    @Test func `nothing is due while nothing runs`() {
        #expect(Model.make((1...5).map { .make($0) }).deadline == nil)
        #expect(Model.make([.make(1, state: .running)]).deadline != nil)
        #expect(Model.make([.make(1, state: .waiting(30))]).deadline != nil)
    }

    @Test func `u undoes the latest command, and Ctrl-R redoes it`() {
        var model = Model.make([.make(1)])
        #expect(model.type("u").commands == [.nextUndo])
        #expect(model.update(.key(.control("r"))).commands == [.redo])
    }

    private static func offer(_ change: QueueChangeKind, _ ids: [Upload.ID]) -> QueueReply {
        .undoable(
            UndoOffer(number: 7, change: change, ids: ids, date: Date(timeIntervalSince1970: Clock.start)))
    }

    @Test func `before it is undone it is said what, and y does it`() {
        var model = Model.make((1...600).map { .make($0) })
        _ = model.update(.replied(Self.offer(.unadded(done: 2), Array(1...600)), to: .undo))
        #expect(model.frame().description.contains("Undo: remove 600 uploads, added at 14:00; 2"))
        _ = model.update(.clock(.at(1)))
        #expect(model.type("y").commands == [.undoCommand(7)])
        #expect(model.dialog == nil)
    }

    @Test(arguments: ["n", "\u{1B}"]) func `anything else than y undoes nothing`(key: String) {
        var model = Model.make([.make(1)])
        _ = model.update(.replied(Self.offer(.moved, [1]), to: .undo))
        _ = model.update(.clock(.at(1)))
        #expect((key == "n" ? model.type("n") : model.update(.key(.escape))).commands == [])
        #expect(model.dialog == nil)
    }

    @Test func `a key that is held down does not confirm its own question`() {
        var model = Model.make([.make(1)])
        _ = model.update(.replied(Self.offer(.moved, [1]), to: .undo))
        _ = model.update(.clock(.at(1)))
        #expect(model.type("u").commands == [])
        #expect(model.dialog != nil)
    }

    @Test func `an addition of which all is done goes to the queue, which says so`() {
        var model = Model.make([.make(1, state: .done)])
        let effects = model.update(.replied(Self.offer(.unadded(done: 1), []), to: .undo))
        #expect(effects.commands == [.undoCommand(7)])
    }

    @Test func `an undo that the queue refuses needs no question`() {
        var model = Model.make([.make(1)])
        let effects = model.update(.replied(Self.offer(.retried, []), to: .undo))
        #expect(effects.commands == [.undoCommand(7)])
        #expect(model.dialog == nil)
    }

    @Test func `files that an addition leaves out are counted in the message`() {
        var model = Model.make([])
        _ = model.update(.replied(.changed([1]), to: .add(files: 3, skipped: 1)))
        #expect(model.toast.current?.text == "added 1 upload, 2 left out: already queued or done, 1 skipped")
    }

    @Test func `the cursor goes to what was put back`() {
        var model = Model.make((1...40).map { .make($0) })
        model.type("g")
        _ = model.update(.replied(.reversed(.putBack, [31, 30]), to: .undo))
        #expect(model.list.cursor?.id == 30)
        #expect(model.frame().description.contains("file-30.bin"))
    }

    @Test(arguments: [
        (QueueChangeKind.putBack, Request.undo, "undone: put back a.mov; Ctrl-R redoes it"),
        (.resumed, .undo, "undone: resumed a.mov; Ctrl-R redoes it"),
        (.moved, .redo, "redone: moved a.mov"),
    ])
    func `the message names the command that was undone or redone`(
        change: QueueChangeKind, request: Request, text: String
    ) {
        var model = Model.make([.make(1, name: "a.mov")])
        _ = model.update(.replied(.reversed(change, [1]), to: request))
        #expect(model.toast.current?.text == text)
    }
}
