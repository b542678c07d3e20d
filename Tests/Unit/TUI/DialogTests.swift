import FerryProtocols
import FerryTransfer
import FerryUploads
import Testing

@testable import FerryTUI

@Suite struct RemovalTests {
    @Test func `uploads without bytes on a server are removed without a question`() {
        var model = Model.make([.make(1), .make(2, state: .done)])
        _ = model.update(.key(.control("a")))
        let effects = model.type("x")
        #expect(effects.commands == [.remove(.ids([1, 2]))])
    }

    @Test func `bytes on a server are asked about, and the targets stay those of the question`() {
        var model = Model.make([.make(1, confirmed: 10), .make(2), .make(3)])
        let answer = model.type("x")
        #expect(answer.isEmpty)
        #expect(model.context == .removal)
        _ = model.change(.make(4, rank: 0), removed: [2])
        _ = model.update(.clicked(.upload(3)))
        _ = model.pass(to: 1)
        let effects = model.type("y")
        #expect(effects.commands == [.remove(.ids([1]))])
    }

    @Test func `keys typed right after the question opened were not meant for it`() {
        var model = Model.make([.make(1, confirmed: 10)])
        model.type("x")
        _ = model.pass(to: 0.19)
        let answer = model.type("y")
        #expect(answer.isEmpty)
        #expect(model.context == .removal)
    }

    @Test(arguments: [Key.escape, .enter, .character("n"), .control("c")])
    func `the default keeps them`(key: Key) {
        var model = Model.make([.make(1, confirmed: 10)])
        model.type("x")
        _ = model.pass(to: 1)
        let answer = model.update(.key(key))
        #expect(answer.isEmpty)
        #expect(model.context == .list)
    }

    @Test(arguments: [Key.character("x"), .delete, .character(" "), .paste("y", isComplete: true)])
    func `neither the key that opened it nor a paste confirms it`(key: Key) {
        var model = Model.make([.make(1, confirmed: 10)])
        model.type("x")
        _ = model.pass(to: 1)
        let answer = model.update(.key(key))
        #expect(answer.isEmpty)
        #expect(model.context == .removal)
    }

    @Test func `bytes the server confirmed since the last change count`() {
        var model = Model.make([.make(1, state: .running)])
        _ = model.update(.progress([ProgressSample(id: 1, sent: 500, confirmed: 300, phase: .sending)]))
        let answer = model.type("x")
        #expect(answer.isEmpty)
        #expect(model.context == .removal)
    }
}

@Suite struct QuitTests {
    @Test func `with nothing running q leaves at once`() {
        var model = Model.make([.make(1)])
        let effects = model.type("q")
        #expect(effects.outcome == .quit)
    }

    @Test func `with uploads running q asks, and q again leaves`() {
        var model = Model.make([.make(1, state: .running)])
        let answer = model.type("q")
        #expect(answer.isEmpty)
        #expect(model.context == .quit)
        _ = model.pass(to: 0.5)
        let effects = model.type("q")
        #expect(effects.outcome == .quit)
    }

    @Test func `w waits for the running ones`() {
        var model = Model.make([.make(1, state: .running), .make(2)])
        model.type("q")
        _ = model.pass(to: 0.5)
        var effects = model.type("w")
        #expect(effects.commands == [.stopWhenIdle])
        #expect(effects.outcome == nil)
        effects = model.change(.make(1, state: .done))
        #expect(effects.outcome == .quitWhenIdle)
    }

    @Test func `while it waits q leaves at once, and a refusal ends the wait`() {
        var model = Model.make([.make(1, state: .running)])
        model.type("q")
        _ = model.pass(to: 0.5)
        model.type("w")
        var other = model
        let effects = model.type("q")
        #expect(effects.outcome == .quit)
        _ = other.update(.replied(.refused(UploadFailure(.permanent, "no")), to: .stopWhenIdle))
        #expect(other.phase != .finishing)
    }

    @Test func `escape stays`() {
        var model = Model.make([.make(1, state: .running)])
        model.type("q")
        _ = model.pass(to: 0.5)
        let answer = model.update(.key(.escape))
        #expect(answer.isEmpty)
        #expect(model.context == .list)
    }

    @Test func `control-c leaves a prompt before it leaves the program`() {
        var model = Model.make([.make(1)])
        model.type("b")
        let answer = model.update(.key(.control("c")))
        #expect(answer.isEmpty)
        #expect(model.context == .list)
    }
}

@Suite struct PromptTests {
    @Test(
        arguments: [
            ("20M", .atMost(20 << 20)), ("800k", .atMost(800 << 10)), ("", .unlimited),
            ("off", .unlimited), (" AUTO", nil),
        ] as [(String, Bandwidth?)])
    func `a limit is read as people write it`(text: String, limit: Bandwidth?) {
        var model = Model.make(status: EngineStatus(limits: [BandwidthLimit(.total, .atMost(5 << 20))]))
        model.type("b")
        _ = model.update(.key(.control("u")))
        model.type(text)
        let answer = model.update(.key(.enter))
        #expect(answer.commands == [.limitBandwidth(limit, .total)])
    }

    @Test func `the old value is there to begin with`() {
        var model = Model.make(status: EngineStatus(concurrency: 7))
        model.type("c")
        let effects = model.update(.key(.enter))
        #expect(effects.commands == [.limitConcurrency(7)])
    }

    @Test(arguments: [
        ("b", "fast"), ("b", "-3M"), ("b", "0"), ("c", "0"), ("c", "1001"), ("c", "two"), ("c", ""),
    ])
    func `an invalid value is refused and can be corrected`(key: String, text: String) {
        var model = Model.make()
        model.type(key)
        _ = model.update(.key(.control("u")))
        model.type(text)
        let effects = model.update(.key(.enter))
        #expect(effects.isEmpty)
        #expect(model.context == .prompt)
        #expect(model.frame().description.contains("not a"))
    }
}

@Suite struct OfferedValueTests {
    private func asked(_ keys: String) -> Model {
        var model = Model.make(
            [.make(1)],
            status: EngineStatus(limits: [BandwidthLimit(.total, .atMost(3 << 20))], concurrency: 3))
        model.type(keys)
        return model
    }

    @Test func `typed text replaces the offered value`() {
        var model = asked("c5")
        let effects = model.update(.key(.enter))
        #expect(effects.commands == [.limitConcurrency(5)])
    }

    @Test func `enter alone leaves a limit to whatever it is from`() {
        var model = asked("b")
        #expect(model.update(.key(.enter)).isEmpty)
        #expect(model.context == .list)
    }

    @Test func `enter alone keeps the value that is offered`() {
        var model = asked("c")
        let effects = model.update(.key(.enter))
        #expect(effects.commands == [.limitConcurrency(3)])
    }

    @Test func `the offered value is edited once the cursor moves in it`() {
        var model = asked("c")
        _ = model.update(.key(.home))
        model.type("1")
        let effects = model.update(.key(.enter))
        #expect(effects.commands == [.limitConcurrency(13)])
    }

    @Test(arguments: [(10, 40), (24, 80), (10, 30)])
    func `the value is to be seen at every size`(rows: Int, columns: Int) {
        var model = asked("b")
        _ = model.update(.resized(Size(rows: rows, columns: columns)))
        #expect(model.frame().description.contains("3.0M"))
        model.type("7M")
        #expect(model.frame().description.contains("7M"))
    }
}
