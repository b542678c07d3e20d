import FerryProtocols
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

/// Tests how the user leaves the screen, for each owner of the engine, and what happens when the engine ends.
struct LeavingTests {
    private static let lost = EngineStatus(contact: .lost(since: Date(timeIntervalSince1970: Clock.start)))

    /// Returns the dialog that `q` opens while an upload runs, after the time in which it ignores keys.
    private func asked(_ ownership: EngineOwnership) -> Model {
        var model = Model.make([.make(1, state: .running), .make(2)], ownership: ownership)
        model.type("q")
        _ = model.pass(to: 0.5)
        return model
    }

    @Test(arguments: [
        (EngineOwnership.own, "q", ScreenOutcome.quit), (.detachable, "q", .quit), (.attached, "q", .quit),
        (.detachable, "d", .detach), (.attached, "s", .stopEngine),
    ])
    func `the question has a key for each end`(
        ownership: EngineOwnership, key: String, outcome: ScreenOutcome
    ) {
        var model = asked(ownership)
        let effects = model.type(key)
        #expect(effects.outcome == outcome)
    }

    @Test(arguments: [(EngineOwnership.own, "d"), (.own, "s"), (.detachable, "s"), (.attached, "d")])
    func `a choice that does not fit the engine's ownership is not offered`(
        ownership: EngineOwnership, key: String
    ) {
        var model = asked(ownership)
        let effects = model.type(key)
        #expect(effects.outcome == nil)
        let keys = model.actions.entries(in: model.context).flatMap(\.keys)
        #expect(!keys.contains(.character(Character(key))))
    }

    @Test(arguments: [EngineOwnership.own, .detachable, .attached])
    func `everywhere the running ones can be finished first`(ownership: EngineOwnership) {
        var model = asked(ownership)
        var effects = model.type("w")
        #expect(effects.commands == [.stopWhenIdle])
        effects = model.change(.make(1, state: .done))
        #expect(effects.outcome == .quitWhenIdle)
    }

    @Test func `a wait for the running uploads also ends when the engine ends before its last update`() {
        var model = asked(.attached)
        model.type("w")
        let effects = model.change(status: Self.lost)
        #expect(effects.outcome == .quitWhenIdle)
    }

    @Test func `leaving without the question works with nothing running`() {
        var model = Model.make([.make(1)], ownership: .detachable)
        let effects = model.type("D")
        #expect(effects.outcome == .detach)
    }

    @Test func `the queue of the demo ends with its screen, so the demo cannot be detached`() {
        var model = Model.make([.make(1)], ownership: .own)
        let effects = model.type("D")
        #expect(effects.outcome == nil)
        #expect(model.toast.current?.text == "the demo cannot be detached")
    }

    @Test func `the question in a demo does not say that the uploads resume`() {
        let screen = asked(.own).frame().description
        #expect(screen.contains("[q] quit; the demo is removed"), "\(screen)")
        #expect(!screen.contains("resume"))
    }

    @Test func `while the engine is gone nothing is asked on leaving and no progress is wanted`() {
        var model = Model.make([.make(1, state: .running)], ownership: .attached)
        _ = model.change(status: Self.lost)
        #expect(!model.wantsProgress)
        let effects = model.type("q")
        #expect(effects.outcome == .quit)
    }

    @Test(arguments: [24, 10, 6])
    func `that the engine has gone is said in the first line, with the key that helps`(rows: Int) {
        var model = Model.make(
            [.make(1, state: .running)], rows: rows, columns: rows * 4, ownership: .attached)
        _ = model.change(status: Self.lost)
        let line = model.frame().text(0)
        #expect(line.lowercased().contains("engine"), "\(line)")
        #expect(rows < 24 || line.contains("[S] start it again"))
    }

    @Test func `S starts another one, once the engine is gone`() {
        var model = Model.make([.make(1, state: .running)], ownership: .attached)
        #expect(!model.type("S").contains { if case .startEngine = $0 { true } else { false } })
        _ = model.change(status: Self.lost)
        #expect(model.type("S").contains { if case .startEngine = $0 { true } else { false } })
    }

    @Test func `an engine that is there again takes the banner away`() {
        var model = Model.make([.make(1)], ownership: .attached)
        _ = model.change(status: Self.lost)
        _ = model.update(
            .queue(QueueUpdate(isComplete: true, changed: [.make(1)], removed: [], status: EngineStatus())))
        #expect(model.frame().text(0).contains("online"))
        #expect(model.log.entries.suffix(2).map(\.text).contains("an engine is running again"))
    }
}
