import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

/// Tests the screen after the engine has gone.
@Suite struct EngineGoneTests {
    private static let lost = EngineStatus(contact: .lost(since: Date(timeIntervalSince1970: Clock.start)))

    /// Returns a model whose uploads have progressed for six seconds when the engine goes.
    private static func gone(rows: Int = 24, columns: Int = 80) -> Model {
        var model = Model.make(
            [
                .make(1, name: "fast.mov", size: 100_000_000, state: .running, confirmed: 0),
                .make(2, name: "later.mov", state: .waiting(40)),
            ], rows: rows, columns: columns, ownership: .attached)
        for step in 0...24 {
            _ = model.pass(to: Double(step) * 0.25)
            _ = model.update(
                .progress([
                    ProgressSample(
                        id: 1, sent: 40_000_000 + ByteCount(step) * 400_000, confirmed: 0, phase: .sending)
                ]))
        }
        #expect(model.frame().description.contains("/s"))
        _ = model.change(status: lost)
        return model
    }

    @Test func `an engine that lets no more screens in is not said to be gone`() {
        var model = Self.gone()
        let refusal = UploadFailure(.permanent, "32 clients are attached already", hint: "close one of them")
        _ = model.change(status: EngineStatus(contact: .refused(refusal)))
        #expect(model.frame().text(0).contains("32 clients are attached already; close one of them"))
        #expect(model.frame().description.contains("gone") == false)
    }

    @Test func `nothing looks as if it moved`() {
        let model = Self.gone()
        let screen = model.frame().description
        #expect(!screen.contains("/s"), "\(screen)")
        #expect(!screen.contains("▲"))
        #expect(!screen.contains("running"))
        #expect(model.frame().text(3).hasPrefix("▸ ○ stopped  fast.mov"))
        #expect(model.frame().text(3).hasSuffix(" 49% no engine runs"))
        #expect(model.live.progress.isEmpty && model.live.estimates.total.rate == nil)
    }

    @Test func `a wait is not counted down`() {
        var model = Self.gone(columns: 120)
        _ = model.pass(to: 30)
        #expect(model.frame().text(4).contains("waits for an engine: 503"))
        #expect(Self.gone().frame().text(4).hasSuffix(" 0% no engine runs"))
    }

    @Test func `a corner says what is known`() {
        #expect(Self.gone(rows: 5, columns: 30).frame().text(0) == "engine gone; 1 stopped")
    }

    @Test func `the details say when it ran`() {
        var model = Self.gone()
        model.type("i")
        let screen = model.frame().description
        #expect(screen.contains("state     was running when the engine ended"), "\(screen)")
        #expect(!screen.contains("speed"))
    }

    @Test func `in lines it has stopped`() {
        let model = Self.gone()
        #expect(
            model.table[1].map { PlainText.now($0, in: model) }
                == "stopped, 49%, resumes when an engine runs")
    }

    @Test func `rows by rate stand as if all were still`() {
        var model = Model.make([.make(1, state: .running), .make(2, state: .running)], ownership: .attached)
        model.type("or")
        for step in 0...8 {
            _ = model.pass(to: Double(step) * 0.25)
            _ = model.update(
                .progress([
                    ProgressSample(id: 1, sent: 0, confirmed: 0, phase: .sending),
                    ProgressSample(id: 2, sent: ByteCount(step) * 100, confirmed: 0, phase: .sending),
                ]))
        }
        #expect(model.list.rows.map(\.id) == [2, 1])
        _ = model.change(status: Self.lost)
        #expect(model.list.rows.map(\.id) == [1, 2])
    }

    @Test func `the screen moves again when an engine is running again`() {
        var model = Self.gone()
        _ = model.change(status: EngineStatus())
        #expect(model.frame().text(3).contains("▲ running"))
        #expect(model.wantsProgress)
    }

    @Test(arguments: [(24, 80), (10, 40)])
    func `the last line offers only what works without an engine`(rows: Int, columns: Int) {
        let line = Self.gone(rows: rows, columns: columns).frame().text(rows - 1)
        #expect(line.hasPrefix(" ? help  S start an engine  q quit "), "\(line)")
        for word in ["add", "pause", "remove", "undo", "try now", "limit"] {
            #expect(!line.contains(word), "\(line)")
        }
    }

    @Test(arguments: ["a", "p", "P", "r", "R", "x", "X", "u", "b", "c", "n", "K"])
    func `a key that needs an engine asks nothing, and names the key that starts one`(key: String) {
        var model = Self.gone()
        let effects = model.type(key)
        #expect(effects.isEmpty && model.dialog == nil)
        #expect(model.toast.current?.text == "no engine runs; S starts one")
    }

    @Test func `a paste adds nothing while no engine runs`() {
        var model = Self.gone()
        #expect(model.update(.key(.paste("/out/a.mov", isComplete: true))).isEmpty)
        #expect(model.dialog == nil)
    }

    @Test func `S works over whatever is open, as the first line names it`() {
        var model = Self.gone()
        model.type("i")
        let effects = model.type("S")
        #expect(effects.contains { if case .startEngine = $0 { true } else { false } })
        #expect(model.toast.current?.text == "starting another engine")
    }

    @Test func `S before the engine is known to be gone says so`() {
        var model = Model.make([.make(1, state: .running)], ownership: .attached)
        model.type("S")
        #expect(model.toast.current?.text == "the engine is running; nothing to start")
    }
}
