import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

/// Tests that the screen shows the state of the queue.
@Suite struct TruthTests {
    private static func refused(_ state: String = "the connection was refused") -> Upload.State {
        .waiting(
            until: Date(timeIntervalSince1970: Clock.start + 12),
            failure: UploadFailure(.network, state))
    }

    private static func offline(_ since: Double = 0) -> EngineStatus {
        EngineStatus(
            network: .offline(since: Date(timeIntervalSince1970: Clock.start + since), reason: "no address"))
    }

    @Test func `a queue of which all is paused says so, and neither online nor idle`() {
        let model = Model.make([.make(1, state: .paused(.user)), .make(2, state: .paused(.user))])
        #expect(model.frame().text(0) == " ‖ paused  2 paused")
        let some = Model.make([.make(1, state: .paused(.user)), .make(2)])
        #expect(some.frame().text(0).contains("● online"))
    }

    @Test func `paused uploads are counted in the first line beside others that are not paused`() {
        let paused = (1...7).map { Upload.make($0, state: .paused(.user)) }
        let model = Model.make(paused + [.make(8, size: 13)])
        #expect(model.frame().text(0) == " ● online  13 B left  7 paused")
        #expect(Model.make(paused + [.make(8, state: .done)]).frame().text(0) == " ‖ paused  7 paused")
    }

    @Test(arguments: [(80, false), (120, true)])
    func `an attached screen shows the bytes left before it says that it is attached`(
        columns: Int, isSaid: Bool
    ) {
        let model = Model.make(
            [.make(1, size: 24 << 30, state: .running), .make(2, state: .paused(.user))], columns: columns,
            status: EngineStatus(limits: [BandwidthLimit(.total, .atMost(5 << 20))]), ownership: .attached)
        let line = model.frame().text(0)
        #expect(line.contains("  24 GiB left"), "\(line)")
        #expect(line.hasSuffix("  1 paused  attached") == isSaid, "\(line)")
    }

    @Test func `the first line shows retrying, not online, while nothing runs and a retry waits`() {
        let model = Model.make([.make(1, state: Self.refused()), .make(2, state: .paused(.user))])
        #expect(model.frame().text(0).hasPrefix(" ↻ retrying"))
        #expect(model.frame().text(0).contains("in 12 s"))
        #expect(!model.frame().text(0).contains("online"))
        let running = Model.make([.make(1, state: Self.refused()), .make(2, state: .running)])
        #expect(running.frame().text(0).contains("● online"))
    }

    @Test func `an upload that waits for the network counts as active, and not as paused`() {
        let model = Model.make(
            [.make(1, state: .paused(.offline)), .make(2, state: .paused([.user, .offline]))],
            status: Self.offline())
        #expect(model.frame().text(1).contains("Active 1"))
        #expect(model.frame().text(1).contains("Paused 1"))
    }

    @Test func `a paused upload that resumes shows what was sent, and does not say that nothing is there`() {
        var model = Model.make([.make(1, size: 500_000_000, state: .running, confirmed: 0)])
        for step in 0...1 {
            _ = model.pass(to: Double(step))
            _ = model.update(
                .progress([ProgressSample(id: 1, sent: 21_000_000, confirmed: 0, phase: .sending)]))
        }
        _ = model.change(.make(1, size: 500_000_000, state: .paused(.user), confirmed: 0))
        model.type("i")
        let screen = model.frame().description
        #expect(screen.contains("unknown; the server is asked on resume; 20 MiB of 477 MiB were"))
        #expect(!screen.contains("0 B of") && !screen.contains("nothing of"))
    }

    @Test func `an upload with confirmed bytes shows these when it is paused`() {
        var model = Model.make([
            .make(1, size: 500 << 20, state: .paused(.user), confirmed: 21 << 20)
        ])
        model.type("i")
        #expect(model.frame().description.contains("on server 21 MiB of 500 MiB (4%)"))
    }

    @Test func `an upload that was never begun has nothing on the server`() {
        var model = Model.make([.make(1, size: 500 << 20, state: .paused(.user))])
        model.type("i")
        #expect(model.frame().description.contains("on server 0 B of 500 MiB"))
    }

    @Test func `the network is not said to be back beside a server that does not respond`() {
        var model = Model.make([.make(1, state: .paused(.offline))], status: Self.offline())
        let away = [UnreachableHost(host: "127.0.0.1", reason: "does not answer", waiting: 1)]
        _ = model.change(.make(1, state: Self.refused()), status: EngineStatus(unreachableHosts: away))
        #expect(model.frame().text(0).contains("127.0.0.1 does not answer"))
        #expect(!model.frame().description.contains("uploads resume where they stopped"))

        var later = Model.make([.make(1, state: .paused(.offline))], status: Self.offline())
        _ = later.change(status: EngineStatus())
        #expect(later.toast.current?.text.contains("the network is back") == true)
        _ = later.change(status: EngineStatus(unreachableHosts: away))
        #expect(later.toast.current == nil)
    }

    @Test(arguments: [(10, 40), (15, 60), (5, 30)])
    func `a small screen shows how many have failed`(rows: Int, columns: Int) {
        var model = Model.make(
            [.make(1, size: 1 << 30, state: .running), .make(2, state: .failed), .make(3, state: .failed)],
            rows: rows, columns: columns)
        for step in 0...40 {
            _ = model.pass(to: Double(step) * 0.25)
            _ = model.update(
                .progress([
                    ProgressSample(id: 1, sent: ByteCount(step) << 20, confirmed: 0, phase: .sending)
                ]))
        }
        let line = model.frame().text(0)
        #expect(line.contains("2 failed"), "\(line)")
        #expect(line.contains("1 up"), "\(line)")
    }

    @Test func `a very wide screen gives an error the room that names do not need`() {
        let long = String(repeating: "the server said why ", count: 6) + "at last"
        let failed = Upload.State.failed(UploadFailure(.permanent, long, status: 403))
        let model = Model.make([.make(1, state: failed)], rows: 60, columns: 200)
        let row = model.frame().text(3)
        #expect(row.contains("at last"), "\(row)")
    }

    @Test func `a very wide screen shows a long name beside an error`() {
        let name = String(repeating: "reel-", count: 11) + "1.mov"
        let failed = Upload.State.failed(
            UploadFailure(.permanent, String(repeating: "refused ", count: 12) + "at last"))
        let model = Model.make([.make(1, name: name, state: failed)], rows: 60, columns: 200)
        let row = model.frame().text(3)
        #expect(row.contains(name) && row.contains("at last"), "\(row)")
    }

    @Test func `the details below the list follow the running uploads, as long as the user does not move`() {
        var model = Model.make(
            (1...8).map { .make($0, state: $0 == 1 ? .running : .queued) }, rows: 40, columns: 120)
        #expect(model.list.cursor?.id == 1)
        _ = model.pass(to: 5)
        _ = model.change(.make(1, state: .done), .make(2, state: .running))
        #expect(model.list.cursor?.id == 2)
        #expect(model.list.top == 0)
        // Small uploads end faster than a user reads, so the details stay for a while.
        _ = model.change(.make(2, state: .done), .make(3, state: .running))
        #expect(model.list.cursor?.id == 2)
        _ = model.pass(to: 10)
        model.type("k")
        _ = model.change(.make(3, state: .done), .make(4, state: .running))
        #expect(model.list.cursor?.id == 1)
    }

    @Test func `an engine that does not respond takes the first line`() {
        let since = Date(timeIntervalSince1970: Clock.start)
        for (rows, columns) in [(24, 80), (10, 40), (5, 30)] {
            var model = Model.make(
                [.make(1, state: .running)], rows: rows, columns: columns, ownership: .attached)
            _ = model.change(status: EngineStatus(contact: .silent(since: since)))
            #expect(model.frame().text(0).lowercased().contains("not answer"), "\(model.frame().text(0))")
            #expect(!model.frame().text(0).contains("online"))
            _ = model.change(status: EngineStatus())
            #expect(!model.frame().text(0).lowercased().contains("not answer"))
        }
    }

    @Test func `Ctrl-Z says whether the uploads continue`() {
        #expect(EngineOwnership.own.farewell.contains("its uploads are suspended"))
        #expect(EngineOwnership.attached.farewell.contains("uploads continue"))
    }

    @Test func `a second click on a row soon after the first opens its details`() {
        var model = Model.make((1...3).map { .make($0) })
        _ = model.update(.clicked(.upload(2)))
        #expect(model.dialog == nil)
        _ = model.pass(to: 0.3)
        _ = model.update(.clicked(.upload(2)))
        guard case .details? = model.dialog else {
            Issue.record("no details are open")
            return
        }
        #expect(model.list.cursor?.id == 2)
    }

    @Test func `two slow clicks, or clicks on two rows, open nothing`() {
        var model = Model.make((1...3).map { .make($0) })
        _ = model.update(.clicked(.upload(2)))
        _ = model.pass(to: 1)
        _ = model.update(.clicked(.upload(2)))
        _ = model.update(.clicked(.upload(3)))
        #expect(model.dialog == nil)
    }

    @Test func `each title of a column that rows can be sorted by does that when it is clicked`() throws {
        let model = Model.make((1...3).map { .make($0) }, columns: 120)
        let header = model.frame().text(2)
        for (title, key) in [
            ("NAME", RowOrder.Key.name), ("SIZE", .size), ("PROGRESS", .progress), ("RATE", .rate),
            ("ETA", .remaining),
        ] {
            let column = try #require(
                header.range(of: title).map {
                    header.distance(from: header.startIndex, to: $0.lowerBound)
                })
            var clicked = model
            let target = try #require(model.frame().target(at: Point(row: 2, column: column)))
            _ = clicked.update(.clicked(target))
            #expect(clicked.table.order.key == key, "\(title)")
        }
    }

    @Test func `after a sort the row under the cursor is in view`() throws {
        var model = Model.make((1...200).map { .make($0, name: "f\(1000 - $0)", size: ByteCount($0)) })
        model.type("Gon")
        let index = try #require(model.list.cursorIndex)
        #expect(model.list.rows[index].id == 200)
        #expect((model.list.top..<(model.list.top + model.layout.list.count)).contains(index))
    }

    @Test func `nothing to undo is a word, and no error`() {
        var model = Model.make([.make(1)])
        let nothing = UploadFailure(.permanent, "nothing to undo")
        _ = model.update(.replied(.refused(nothing), to: .undo))
        #expect(model.toast.current?.kind == .information)
        #expect(model.log.entries.last?.level == .information)
    }

    @Test func `the limit stands apart from what is asked for`() {
        var model = Model.make(
            [.make(1)], status: EngineStatus(limits: [BandwidthLimit(.total, .atMost(20 << 20))]))
        model.type("b")
        #expect(model.frame().description.contains("auto): 20M"), "\(model.frame())")
    }

    @Test func `a backslash that is typed stands once`() {
        var model = Model.make([.make(1)])
        model.type(#"a/data/a\ b.mov"#)
        #expect(model.frame().description.contains(#"/data/a\ b.mov"#), "\(model.frame())")
    }
}
