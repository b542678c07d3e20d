import FerryUploads
import Testing

@testable import FerryTUI

/// Tests text that arrives in one packet: typed over a slow connection, or pasted in a terminal without bracketed
/// paste.
@Suite struct BurstTests {
    private static func feed(_ text: String, _ model: inout Model) -> [Effect] {
        var reader = KeyReader()
        return reader.read(Array(text.utf8), now: 0).flatMap { model.update(.key($0)) }
    }

    private static func feed(_ text: String) -> Model {
        var model = Model.make([.make(1, name: "day.mov"), .make(2, name: "night.mov")])
        let effects = feed(text, &model)
        #expect(effects.commands.isEmpty)
        return model
    }

    @Test func `a filter with its Enter holds`() {
        let model = Self.feed("/state:queued night\r")
        #expect(model.context == .list)
        #expect(model.table.filter?.text == "state:queued night")
        #expect(model.list.rows.map(\.id) == [2])
    }

    @Test func `a filter without Enter is typed on`() {
        var model = Self.feed("/state:queued")
        #expect(model.context == .filter)
        #expect(model.table.filter?.text == "state:queued")
        _ = model.update(.key(.enter))
        #expect(model.context == .list)
    }

    @Test func `text for a filter that is open goes into it, and its Enter counts`() {
        var model = Model.make([.make(1, name: "day.mov"), .make(2, name: "night.mov")])
        model.type("/")
        _ = Self.feed("state:queued day\r", &model)
        #expect(model.context == .list)
        #expect(model.list.rows.map(\.id) == [1])
    }

    @Test func `a part of a path is filtered by with two slashes`() {
        #expect(Self.feed("//out/night\r").table.filter?.text == "/out/night")
    }

    @Test(arguments: [
        "/out/day.mov", "/out/day.mov\r", "/one.mov\r/two.mov\r", "'/out/a b.mov' ", "xxq yyyy\r",
    ])
    func `text that may be a path is taken as a paste, and queues nothing`(text: String) {
        let model = Self.feed(text)
        #expect(model.context == .add)
        #expect(model.table.filter == nil)
    }

    @Test(arguments: ["a/out/day.mov", "a~/day.mov"])
    func `a path behind the key that adds is the path to add`(text: String) {
        guard case .add(let add) = Self.feed(text).dialog else {
            Issue.record("nothing is added")
            return
        }
        #expect(add.text == String(text.dropFirst()))
    }

    @Test func `a limit is typed into its prompt, and its Enter sets nothing`() {
        let model = Self.feed("b20000000\r")
        guard case .prompt(let prompt) = model.dialog else {
            Issue.record("no prompt")
            return
        }
        #expect(prompt.line.text == "20000000")
    }

    @Test func `words behind a question mark search the help, and Enter runs nothing`() {
        guard case .help(let help) = Self.feed("?remove all\r").dialog else {
            Issue.record("no help")
            return
        }
        #expect(help.line.text == "remove all")
    }

    @Test func `a search of the log with its Enter holds`() {
        var model = Model.make()
        model.log.add(.information, "an entry", date: model.clock.date)
        model.type("l")
        _ = Self.feed("/nothing here\r", &model)
        #expect(model.context == .log)
        guard case .log(let log) = model.dialog else { return }
        #expect(log.search.text == "nothing here")
    }

    @Test func `a burst confirms no question`() {
        var model = Model.make([.make(1, confirmed: 10)])
        model.type("x")
        _ = model.pass(to: 1)
        #expect(Self.feed("yes yes yes\r", &model).isEmpty)
        #expect(model.context == .removal)
    }
}
