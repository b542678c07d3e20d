import FerryProtocols
import FerryTransfer
import FerryUploads
import Testing

@testable import FerryTUI

@Suite struct AddDialogTests {
    private static let selection = FileSelection(
        files: [
            .init(
                path: LocalPath("/out/a.mov"),
                identity: FileIdentity(device: 1, inode: 1, size: 2048, modified: 0, changed: 0),
                relativeName: "a.mov")
        ],
        problems: [.init(path: LocalPath("/out/b"), reason: "no such file")])

    private func question(_ effects: [Effect]) -> (text: String, number: Int)? {
        effects.compactMap { effect -> (text: String, number: Int)? in
            if case .preview(let request, let number) = effect { return (text: request.text, number: number) }
            return nil
        }.first
    }

    private func added(_ effects: [Effect]) -> (files: Int, destination: String)? {
        effects.compactMap { effect -> (files: Int, destination: String)? in
            if case .add(let selection, let destination) = effect {
                return (files: selection.files.count, destination: destination)
            }
            return nil
        }.first
    }

    @Test func `the typed path is looked up when typing rests`() {
        var model = Model.make()
        model.type("a/out/a.mov")
        let answer = model.pass(to: 0.1)
        #expect(question(answer) == nil)
        #expect(model.deadline != nil)
        let asked = question(model.pass(to: 0.2))
        #expect(asked?.text == "/out/a.mov")
        _ = model.update(.previewed(Self.selection, number: asked?.number ?? 0))
        let screen = model.frame().description
        #expect(screen.contains("1 file, 2 KiB"))
        #expect(screen.contains("/out/b: no such file"))
    }

    @Test func `nothing is queued before enter`() {
        var model = Model.make()
        _ = model.update(.key(.paste("/out/a.mov\n/out/b\n", isComplete: true)))
        let asked = question(model.pass(to: 0.3))
        let answer = model.update(.previewed(Self.selection, number: asked?.number ?? 0))
        #expect(added(answer) == nil)
        #expect(model.context == .add)
        let effects = model.update(.key(.enter))
        #expect(added(effects)?.files == 1)
        #expect(model.context == .list)
    }

    @Test func `opening it asks for the destinations there are now, and a new one is offered at once`() {
        var model = Model.make(destinations: ["box", "web"])
        let asked = model.type("a").contains { if case .askDestinations = $0 { true } else { false } }
        #expect(asked)
        _ = model.update(.key(.backTab))
        _ = model.update(.destinations(DestinationNames(["archive", "box", "web"])))
        guard case .add(let add) = model.dialog else {
            Issue.record("no dialog")
            return
        }
        #expect(add.destinations == ["archive", "box", "web"])
        #expect(add.destinationName == "web")
    }

    @Test func `a destination that is gone is replaced by the preferred one where none is named`() {
        var model = Model.make(destinations: ["box"])
        _ = model.type("a")
        _ = model.update(.destinations(DestinationNames(["archive", "web"], preferred: "web")))
        #expect(model.frame().description.contains("web"))
    }

    @Test func `an enter right behind a paste belongs to the paste`() {
        var model = Model.make()
        _ = model.update(.key(.paste("/out/a.mov", isComplete: true)))
        let answer = model.update(.key(.enter))
        #expect(answer.isEmpty)
        #expect(model.context == .add)
    }

    @Test func `enter before the preview adds the files when the preview comes`() {
        var model = Model.make()
        model.type("a/out/a.mov")
        let asked = question(model.update(.key(.enter)))
        #expect(asked != nil)
        let answer = model.update(.previewed(Self.selection, number: asked?.number ?? 0))
        #expect(added(answer)?.files == 1)
    }

    @Test func `a very large selection is shown before it is added`() {
        var model = Model.make()
        model.type("a/out/*")
        let asked = question(model.update(.key(.enter)))
        let file = Self.selection.files[0]
        let large = FileSelection(files: Array(repeating: file, count: 1001))
        let answer = model.update(.previewed(large, number: asked?.number ?? 0))
        #expect(added(answer) == nil)
        let answer2 = model.update(.key(.enter))
        #expect(added(answer2)?.files == 1001)
    }

    @Test func `a preview of an older text is dropped`() {
        var model = Model.make()
        model.type("a/out/a")
        let asked = question(model.pass(to: 1))
        model.type("x")
        _ = model.update(.previewed(Self.selection, number: asked?.number ?? 0))
        #expect(!model.frame().description.contains("1 file"))
    }

    @Test func `the destination is chosen among the names`() {
        var model = Model.make(destinations: ["box", "archive", "web"])
        model.type("a")
        _ = model.update(.key(.backTab))
        model.type("/out/a.mov")
        let asked = question(model.update(.key(.enter)))
        let effects = model.update(.previewed(Self.selection, number: asked?.number ?? 0))
        #expect(added(effects)?.destination == "archive")
    }

    @Test func `tab completes as far as it is certain, then offers what there is`() {
        var model = Model.make()
        model.type("a/ou")
        guard case .complete("/ou", let number)? = model.update(.key(.tab)).first else {
            Issue.record("nothing was asked for")
            return
        }
        _ = model.update(.completed(["/out/day1/", "/out/day2/"], number: number))
        #expect(model.frame().description.contains("files /out/day "))
        _ = model.update(.key(.tab))
        #expect(model.frame().description.contains("files /out/day1/ "))
        _ = model.update(.key(.tab))
        #expect(model.frame().description.contains("files /out/day2/ "))
    }

    @Test func `tab with nothing to complete moves to the destination`() {
        var model = Model.make(destinations: ["box", "archive"])
        model.type("a")
        guard case .complete(_, let number)? = model.update(.key(.tab)).first else {
            Issue.record("nothing was asked for")
            return
        }
        _ = model.update(.completed([], number: number))
        #expect(model.frame().description.contains("archive   2 of 2"))
    }

    @Test func `a huge paste neither stops the screen nor is edited letter by letter`() {
        var model = Model.make()
        _ = model.update(
            .key(.paste(String(repeating: "/out/\u{1B}[31mx\n", count: 10_000), isComplete: false)))
        #expect(model.frame().description.contains("10,000 lines pasted"))
        _ = model.update(.key(.backspace))
        #expect(model.frame().description.contains("a path, or a pattern"))
    }
}
