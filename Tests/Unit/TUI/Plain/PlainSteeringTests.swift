import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

@Suite struct PlainSteeringTests {
    @Test func `commands are passed to the queue, and what an event will print is not printed twice`() {
        var plain = PlainModel.make([.make(1, state: .running), .make(2)])
        let effects = plain.type("pause 1") + plain.type("resume all") + plain.type("retry failed")
        #expect(effects.commands == [.pause(.ids([1])), .resume(.all), .retry(.failed)])
        #expect(plain.reply(.changed([1])).lines.isEmpty)
        #expect(
            plain.reply(.changed([])).lines == ["nothing to resume there", "2 is queued", "1 is running"])
        #expect(
            plain.reply(.refused(UploadFailure(.permanent, "no", hint: "do"))).lines == ["not done: no; do"])
    }

    @Test func `a command without effect names the command that has one`() {
        var plain = PlainModel.make([.make(1, state: .paused(.user)), .make(2, state: .failed)])
        _ = plain.type("retry 1,2")
        #expect(plain.reply(.changed([2])).lines == ["1 is paused: resume 1 resumes it"])
    }

    @Test func `a command that causes no event gets a response of its own`() {
        var plain = PlainModel.make([.make(1), .make(2)])
        _ = plain.type("limit 20M") + plain.type("parallel 4") + plain.type("move 2 top") + plain.type("now")
        let lines = (1...4).flatMap { _ in plain.reply(.changed([2])).lines }
        #expect(
            lines == [
                "total limit: 20 MiB/s", "4 uploads at once", "moved to the top", "trying now",
            ])
    }

    @Test func `undo and redo print what they changed`() {
        var plain = PlainModel.make([.make(1, name: "film.mov"), .make(2)])
        let effects = plain.type("undo") + plain.type("redo")
        #expect(effects.commands == [.nextUndo, .redo])
        #expect(plain.reply(.reversed(.putBack, [1])).lines == ["undone: put back 1, film.mov"])
        #expect(plain.reply(.reversed(.removed, [1, 2])).lines == ["redone: removed 2 uploads"])
    }

    @Test func `a terminal shows beforehand what undo does, and asks`() {
        var plain = PlainModel.make([.make(1, name: "film.mov"), .make(2)])
        _ = plain.type("undo")
        let offer = UndoOffer(
            number: 3, change: .unadded(done: 0), ids: [1, 2], date: Date(timeIntervalSince1970: Clock.start))
        let lines = plain.reply(.undoable(offer)).lines
        #expect(lines.first?.hasPrefix("undo: remove 2 uploads, added at ") == true)
        #expect(plain.type("yes").commands == [.undoCommand(3)])
    }

    @Test func `anything but a yes undoes nothing`() {
        var plain = PlainModel.make([.make(1)])
        _ = plain.type("undo")
        _ = plain.reply(
            .undoable(UndoOffer(number: 3, change: .moved, ids: [1], date: Date(timeIntervalSince1970: 0))))
        let effects = plain.type("no")
        #expect(effects.commands == [])
        #expect(effects.lines == ["nothing was undone"])
    }

    @Test func `a terminal is not asked about an undo that the queue refuses`() {
        var plain = PlainModel.make([.make(1)])
        _ = plain.type("undo")
        let effects = plain.reply(
            .undoable(UndoOffer(number: 3, change: .retried, ids: [], date: Date(timeIntervalSince1970: 0))))
        #expect(effects.commands == [.undoCommand(3)])
        #expect(effects.lines == [])
        let refusal = UploadFailure(.permanent, "a retry cannot be undone")
        #expect(plain.reply(.refused(refusal)).lines == ["not done: a retry cannot be undone"])
    }

    @Test func `a script is not asked before it undoes`() {
        var plain = PlainModel.make([.make(1)], readsTerminal: false)
        #expect(plain.type("undo").commands == [.undo])
    }

    @Test func `pausing what cannot resume says what it costs`() {
        var plain = PlainModel.make([.make(1, name: "film.mov", state: .running, method: "put")])
        _ = plain.pass(to: 1)
        _ = plain.update(.progress([ProgressSample(id: 1, sent: 500, confirmed: 0, phase: .sending)]))
        _ = plain.type("pause 1")
        #expect(
            plain.reply(.changed([1])).lines == ["film.mov starts again from 0: PUT cannot resume"])
    }

    @Test func `removing what no server has asks nothing`() {
        var plain = PlainModel.make([.make(1)])
        #expect(plain.type("remove 1").commands == [.remove(.ids([1]))])
        #expect(plain.change([], removed: [1]).lines == ["upload 1 removed: file-1.bin"])
    }

    @Test func `removing what a server has part of asks for a yes`() {
        var plain = PlainModel.make([.make(1, size: 4 << 20, state: .running, confirmed: 1 << 20)])
        let asked = plain.type("remove 1")
        #expect(asked.commands.isEmpty)
        #expect(asked.lines.first?.contains("already has about 1 MiB of 1, file-1.bin") == true)
        #expect(plain.type("yes").commands == [.remove(.ids([1]))])
    }

    @Test(arguments: ["no", "n", "list", "remove 2", ""])
    func `anything but a yes keeps what is there`(answer: String) {
        var plain = PlainModel.make([.make(1, confirmed: 500), .make(2, confirmed: 500)])
        _ = plain.type("remove 1")
        let effects = plain.type(answer)
        #expect(effects.commands.isEmpty)
        #expect(effects.lines.first == "nothing was removed")
        let late = plain.type("yes")
        #expect(late.commands == (answer == "remove 2" ? [.remove(.ids([2]))] : []))
    }

    @Test func `clearing the done ones gets a response, for no event reports it`() {
        var plain = PlainModel.make([.make(1, state: .done), .make(2, state: .done)])
        #expect(plain.type("remove done").commands == [.remove(.done)])
        #expect(plain.change([], removed: [1, 2]).lines.isEmpty)
        #expect(plain.reply(.changed([1, 2])).lines == ["removed 2 done uploads from the queue"])
    }

    @Test func `the list is numbered, and has an end`() {
        var plain = PlainModel.make((1...60).map { .make($0, state: $0 == 60 ? .failed : .queued) })
        let lines = plain.type("list").lines
        #expect(lines.first == "1: file-1.bin, 1 KiB, queued")
        #expect(lines.count == 51)
        #expect(lines.last == "and 10 more; words filter: list failed, list size>1g")
        #expect(plain.type("list failed").lines.map { $0.prefix(12) } == ["60: file-60."])
        #expect(plain.type("list nowhere").lines == ["no upload matches"])
    }

    @Test func `a number shows all about its upload`() {
        var plain = PlainModel.make([.make(7, state: .failed)])
        let lines = plain.type("show 7 8").lines
        #expect(lines.contains("  from: /out/file-7.bin"))
        #expect(lines.contains("  error: 403 no write access"))
        #expect(lines.last == "there is no upload 8; list shows the numbers")
    }

    @Test func `a range shows the uploads that exist, up to a limit`() {
        var plain = PlainModel.make((1...30).filter { $0 != 4 }.map { .make($0) })
        let few = plain.type("show 3-5 40-50").lines
        #expect(few.filter { !$0.hasPrefix(" ") }.map { $0.prefix(2) } == ["3:", "5:", "th"])
        #expect(few.last == "there is no upload 40 to 50; list shows the numbers")
        #expect(plain.type("show 1-1000000000").lines.last == "and 9 more; list has a line for each")
    }

    @Test func `removing a range asks for all in it that a server has part of`() {
        var plain = PlainModel.make([.make(1, confirmed: 500), .make(2), .make(9, confirmed: 500)])
        let asked = plain.type("remove 1-5")
        #expect(asked.lines.first?.contains("of 1, file-1.bin") == true)
        #expect(plain.type("yes").commands == [.remove(.numbers(UploadNumbers([1...5])))])
    }

    @Test func `an error is one line`() {
        var plain = PlainModel.make()
        #expect(plain.type("fly").lines == ["there is no command 'fly'; help lists them"])
    }

    @Test func `the help lists every command`() {
        var plain = PlainModel.make()
        #expect(plain.type("help").lines.count == PlainVerb.allCases.count)
    }
}
