import FerryProtocols
import FerryTransfer
import FerryUploads
import Testing

@testable import FerryTUI

@Suite struct RebindingTests {
    private static func table(_ changes: [String: [String]]) throws(RebindingError) -> ActionTable {
        try ActionTable.standard.rebinding(changes)
    }

    private static func error(_ changes: [String: [String]]) -> RebindingError? {
        do throws(RebindingError) { _ = try table(changes) } catch { return error }
        return nil
    }

    @Test func `every entry has a name of its own that can be typed`() {
        let names = ActionTable.standard.entries.map(\.name)
        #expect(Set(names).count == names.count)
        for name in names {
            #expect(name.wholeMatch(of: /([a-z][A-Za-z]*\.)?[a-z][A-Za-z]*/) != nil, "\(name)")
        }
        #expect(names.contains("showFailed") && names.contains("details.retry"))
    }

    @Test func `the keys as they are listed can be written down and read again`() throws {
        let listed = ActionTable.standard.entries.map { ($0.name, $0.keys.map(\.label)) }
        #expect(try Self.table(Dictionary(uniqueKeysWithValues: listed)) == .standard)
    }

    @Test func `given keys replace the action's own`() throws {
        let table = try Self.table(["remove": ["F8", "Ins", "F8"], "halfPageDown": []])
        #expect(table.entry(for: .remove, in: .list)?.keys == [.function(8), .insert])
        #expect(table.action(for: .character("x"), in: .list) == nil)
        #expect(table.action(for: .control("d"), in: .list) == nil)
        #expect(table.action(for: .character("x"), in: .details) == .remove)
    }

    @Test func `two actions may exchange their keys`() throws {
        let table = try Self.table(["pause": ["r"], "retry": ["p"]])
        #expect(table.action(for: .character("p"), in: .list) == .retry)
        #expect(table.action(for: .character("r"), in: .list) == .pause)
    }

    @Test func `the keys that lead out of everything stay`() throws {
        let table = try Self.table(["quit": ["Q"], "add.cancel": ["F10"], "suspend": []])
        #expect(table.entry(for: .quit, in: .list)?.keys == [.character("Q"), .control("c")])
        #expect(table.action(for: .control("c"), in: .add) == .cancel)
        #expect(table.action(for: .control("z"), in: .list) == .suspend)
    }

    @Test(arguments: [
        (["remov": ["d"]], "remov", "an action (did you mean `remove`?); `ferry config --keys` lists all"),
        (["Pause": ["d"]], "Pause", "(did you mean `pause`?);"),
        (["list.removeNow": ["d"]], "list.removeNow", "(did you mean `removal.removeNow`?);"),
        (["frobnicate": ["d"]], "frobnicate", "the name of an action; `ferry config --keys` lists all"),
        (["remove": ["Hyper-X"]], "remove", "there is no Hyper-X"),
        (["remove": ["paste"]], "remove", "there is no paste"),
        (["remove": ["Ctrl-Z"]], "remove", "Ctrl-Z always suspends"),
        (["details.retry": ["Ctrl-C"]], "details.retry", "Ctrl-C always leaves"),
        (["remove": ["Ctrl-M"]], "remove", "Ctrl-M reaches ferry as Enter"),
        (["remove": ["Alt-["]], "remove", "Alt-[ reaches ferry as the beginning of other keys"),
        (["filter.cancel": ["x"]], "filter.cancel", "x is text there"),
        (["help.confirm": ["space"]], "help.confirm", "space is text there"),
        (["quit": []], "quit", "at least one key: quit is the way out"),
        (["quit.cancel": []], "quit.cancel", "at least one key"),
        (["remove": ["p"]], "remove", "p is bound to pause too; give that others in keys.pause"),
        (["tryNow": ["?"]], "tryNow", "? is bound to help too; give that others in keys.help"),
        (
            ["add": ["F5"], "filter": ["F5"]], "filter",
            "F5 is bound to add too; give that others in keys.add"
        ),
        (["details.retry": ["j"]], "details.retry", "j is bound to details.next too"),
        (["remove": ["y"], "copy": []], "remove", "y is bound to removal.removeNow too"),
        (["removal.removeNow": ["x"]], "removal.removeNow", "x is bound to remove too"),
    ])
    func `an error names the action, the key and what is in the way`(
        changes: [String: [String]], action: String, reason: String
    ) {
        let issue = Self.error(changes)
        #expect(issue?.action == action)
        #expect(issue?.expected.contains(reason) == true, "\(issue?.expected ?? "no error")")
    }
}

/// Tests the screen after keys were bound anew.
@Suite struct ReboundScreenTests {
    private static func model(
        _ changes: [String: [String]], _ uploads: [Upload] = [.make(1)], rows: Int = 24, columns: Int = 80,
        status: EngineStatus = EngineStatus()
    ) throws -> Model {
        Model.make(
            uploads, rows: rows, columns: columns, status: status,
            actions: try ActionTable.standard.rebinding(changes))
    }

    @Test func `the new key acts and the old one does not`() throws {
        var model = try Self.model(["remove": ["d"]])
        #expect(model.type("x").isEmpty)
        #expect(model.type("d").commands == [.remove(.ids([1]))])
    }

    @Test func `the hint line and the help show the new keys`() throws {
        var model = try Self.model(["help": ["F2"], "remove": ["d"], "add": []], rows: 60, columns: 100)
        #expect(model.frame().text(59).hasPrefix(" F2 help  p pause  d remove  u undo  q quit"))
        _ = model.update(.key(.function(2)))
        let help = model.frame().description
        #expect(help.contains(/d +remove from the queue/))
        #expect(help.contains(/no key +add files/))
    }

    @Test func `dialogs show the new keys, and take them`() throws {
        var model = try Self.model(["details.retry": ["t"]], [.make(1, state: .failed)])
        model.type("i")
        #expect(model.frame().description.contains("[t] retry"))
        #expect(model.type("t").commands == [.retry(.ids([1]))])
    }

    @Test func `the search for what is typed names its new keys`() throws {
        var model = try Self.model(["filter.confirm": ["F2"]])
        model.type("/")
        #expect(model.frame().text(23).contains("F2 keep  Esc clear"))
    }

    @Test func `an empty list names the keys that help`() throws {
        let changes = ["add": ["Ins"], "help": ["Ctrl-G"], "showAll": ["F9"], "escape": ["F10"]]
        var model = try Self.model(changes, [])
        #expect(model.frame().description.contains("Ins    add files"))
        #expect(model.frame().description.contains("Ctrl-G all keys"))
        model.type("4")
        #expect(model.frame().description.contains("Nothing here.  F9 shows all."))
        model.type("/zzz")
        #expect(model.frame().description.contains("Nothing here fits the filter.  F10 clears it."))
    }

    @Test func `the status line, the tabs and the corner follow rebound keys`() throws {
        let offline = EngineStatus(network: .offline(since: Clock.at(0).date, reason: "no route"))
        let changes = ["tryNow": ["F5"], "quit": ["Q"], "showAll": ["F1"], "help": ["?"]]
        #expect(try Self.model(changes, status: offline).frame().text(0).contains("[F5] try now"))
        #expect(try Self.model(changes, rows: 40, columns: 120).frame().text(1).contains("[F1] All 1"))
        #expect(try Self.model(changes, rows: 2, columns: 20).frame().text(1) == "too small; Q quits")
        let without = try Self.model(["tryNow": []], status: offline).frame().text(0)
        #expect(without.contains("nothing is lost") && !without.contains("try now"))
    }

    @Test func `a message names the rebound keys for the next step`() throws {
        var model = try Self.model(["pause": ["F5"]])
        _ = model.update(.replied(.changed([1]), to: .pause(warning: nil)))
        #expect(model.frame().text(22) == " paused file-1.bin; F5 resumes")
        var silent = try Self.model(["pause": []])
        _ = silent.update(.replied(.changed([1]), to: .pause(warning: nil)))
        #expect(silent.frame().text(22) == " paused file-1.bin")
    }

    @Test func `the hint for an unknown outcome names the rebound keys`() throws {
        let lost = Upload.State.held(UploadFailure(.outcomeUnknown, "no answer"))
        let model = try Self.model(["retry": ["F5"], "remove": []], [.make(1, state: lost, method: "post")])
        #expect(model.frame().text(22).contains("F5 sends it again"))
        #expect(model.frame().text(22).contains("remove removes it"))
    }

    @Test func `the screen is drawn anew by its key over dialogs too, but not where that is text`() throws {
        var model = try Self.model(["redraw": ["F5", "z"]])
        model.type("/")
        guard case .redraw? = model.update(.key(.function(5))).first else {
            Issue.record("F5 draws nothing")
            return
        }
        #expect(model.type("z").isEmpty)
        #expect(model.table.filter?.text == "z")
    }
}
