import FerryTransfer
import FerryUploads
import Testing

@testable import FerryTUI

/// Tests the list of the Add dialog.
@Suite struct FolderBrowserTests {
    private static let out = BrowsedFolder.make(
        "/out", "day1/", "day2/", "a.mov", "b.mov", "data.txt", ".hidden")

    /// Makes a model with an open Add dialog that lists a folder.
    private static func make(
        rows: Int = 24, columns: Int = 80, folder: BrowsedFolder = out, typed: String = "/out/"
    ) -> Model {
        var model = Model.make(rows: rows, columns: columns)
        model.type("a" + typed)
        _ = model.pass(to: 1)
        answer(&model, with: folder)
        return model
    }

    private static func answer(_ model: inout Model, with folder: BrowsedFolder) {
        guard case .add(let add) = model.dialog, case .asked(let number) = add.browser.look else {
            Issue.record("no folder was asked for")
            return
        }
        _ = model.update(.listed(folder, number: number))
    }

    /// Advances the clock, so that the choice counts as settled, and returns the request for a preview; nil if there is
    /// none.
    private static func request(_ model: inout Model, at seconds: Double = 2) -> AddRequest? {
        request(in: model.pass(to: seconds))
    }

    private static func request(in effects: [Effect]) -> AddRequest? {
        effects.compactMap { effect in
            if case .preview(let request, _) = effect { return request }
            return nil
        }.first
    }

    private static func place(_ effects: [Effect]) -> FolderReference? {
        effects.compactMap { effect in
            if case .list(let place, _) = effect { return place }
            return nil
        }.first
    }

    private static func selection(_ names: String...) -> FileSelection {
        FileSelection(
            files: names.map { name in
                .init(
                    path: LocalPath("/out/" + name),
                    identity: FileIdentity(device: 1, inode: 1, size: 2048, modified: 0, changed: 0),
                    relativeName: name)
            })
    }

    @Test func `the working folder is asked for as soon as the dialog is open`() {
        var model = Model.make()
        let effects = model.update(.key(.character("a")))
        #expect(Self.place(effects) == .line(""))
        #expect(model.frame().description.contains("looking"))
    }

    @Test func `the folder's entries are listed below the line, without hidden names`() {
        let text = Self.make().frame().description
        for name in ["../", "day1/", "day2/", "a.mov", "data.txt", "2.0K"] { #expect(text.contains(name)) }
        #expect(!text.contains(".hidden"))
    }

    @Test func `a name that was begun narrows the list and asks for no other folder`() {
        var model = Self.make()
        model.type("da")
        let text = model.frame().description
        #expect(text.contains("day1/") && text.contains("data.txt"))
        #expect(!text.contains("a.mov"))
        #expect(Self.place(model.pass(to: 3)) == nil)
    }

    @Test(arguments: [
        ("/out/*.mov", "/out/"), ("~/out/**/x", "~/out/"), ("*.mov", ""), ("a", ""), ("/x/[ab]/c", "/x/"),
        ("'/out/with space", "'/out/with space"), ("file:///out/a", "file:///out/a"), ("..", ".."),
        ("~", "~"),
        ("/a/b c/d", "/a/b c/"), ("", ""),
    ])
    func `a line points at the folder before its name or pattern`(line: String, folder: String) {
        #expect(TypedPath(line).folder == folder)
    }

    @Test func `down goes into the list, and up from its first row back to the line`() {
        var model = Self.make()
        _ = model.update(.key(.down))
        #expect(model.context == .browse)
        #expect(model.frame().description.contains("▸  day1/"))
        _ = model.update(.key(.up))
        #expect(model.frame().description.contains("▸  ../"))
        _ = model.update(.key(.up))
        #expect(model.context == .add)
        model.type("k")
        #expect(model.frame().description.contains("files /out/k"))
    }

    @Test func `a held k stays in the list, for in the line it would be text`() {
        var model = Self.make()
        _ = model.update(.key(.down))
        model.type("kkkkk")
        #expect(model.context == .browse)
    }

    @Test func `a folder is opened, and the line goes along`() {
        var model = Self.make()
        _ = model.update(.key(.down))
        #expect(Self.place(model.update(.key(.enter))) == .folder(LocalPath("/out/day1")))
        Self.answer(&model, with: .make("/out/day1", "c.mov"))
        #expect(model.frame().description.contains("files /out/day1/"))
        #expect(model.frame().description.contains("▸  c.mov"))
        #expect(Self.place(model.update(.key(.left))) == .folder(LocalPath("/out")))
        Self.answer(&model, with: Self.out)
        #expect(model.frame().description.contains("▸  day1/"), "the cursor is on where it came from")
        #expect(model.context == .browse)
    }

    @Test func `enter on a file adds it, and nothing else`() {
        var model = Self.make()
        _ = model.update(.key(.down))
        model.type("jj")
        #expect(model.frame().description.contains("a.mov, 2 KiB"))
        let effects = model.update(.key(.enter))
        #expect(Self.request(in: effects) == AddRequest(marked: [LocalPath("/out/a.mov")]))
        let added = model.update(.previewed(Self.selection("a.mov"), number: model.adding.questions))
        guard case .add(let selection, _)? = added.first else {
            Issue.record("nothing was added")
            return
        }
        #expect(selection.files.map(\.relativeName) == ["a.mov"])
    }

    @Test func `a folder that only says where to look is not added with what is marked`() {
        var model = Self.make()
        _ = model.update(.key(.down))
        model.type("jj ")
        #expect(Self.request(&model) == AddRequest(marked: [LocalPath("/out/a.mov")]))
        _ = model.update(.key(.escape))
        #expect(model.context == .add)
        #expect(Self.request(&model, at: 3) == nil, "still the same")
    }

    @Test func `a pattern in the line is added with what is marked`() {
        var model = Self.make(typed: "/out/*.txt")
        _ = model.update(.key(.down))
        model.type("jj ")
        #expect(Self.request(&model) == AddRequest(text: "/out/*.txt", marked: [LocalPath("/out/a.mov")]))
    }

    @Test func `marks last from folder to folder, and those out of sight are counted`() {
        var model = Self.make()
        _ = model.update(.key(.down))
        model.type("j ")
        _ = model.update(.key(.home))
        _ = model.update(.key(.down))
        _ = model.update(.key(.right))
        Self.answer(&model, with: .make("/out/day1", "c.mov"))
        model.type(" ")
        #expect(model.frame().description.contains("2 marked, 1 elsewhere"))
        #expect(
            Self.request(&model)
                == AddRequest(marked: [LocalPath("/out/day2"), LocalPath("/out/day1/c.mov")]))
        model.type("u")
        #expect(!model.frame().description.contains("marked, "))
        #expect(Self.request(&model, at: 4) == nil)
    }

    @Test func `a count that is not needed any more is ended`() {
        var model = Self.make()
        _ = model.update(.key(.down))
        model.type(" ")
        #expect(Self.request(&model) != nil)
        guard case .stopPreview? = model.type("u").first else {
            Issue.record("it goes on")
            return
        }
    }

    @Test func `the wheel moves what is seen, and keys stay where they went`() {
        var model = Self.make(folder: .make("/out", names: (0..<100).map { "file\($0)" }))
        _ = model.update(.key(.wheel(3, Point(row: 8, column: 8))))
        let text = model.frame().description
        #expect(!text.contains("../") && text.contains("file5"))
        #expect(model.context == .add)
    }

    @Test func `space on what is marked takes the mark away`() {
        var model = Self.make()
        _ = model.update(.key(.down))
        model.type("  ")
        #expect(model.frame().description.contains("2 marked"))
        model.type("kk  ")
        #expect(Self.request(&model) == nil)
        #expect(model.frame().description.contains("a.mov, 2 KiB"))
    }

    @Test func `enter on a folder opens it also while something is marked, and a adds`() {
        var model = Self.make()
        _ = model.update(.key(.down))
        model.type(" ")
        #expect(model.frame().description.contains("[Enter] open"))
        _ = Self.request(&model)
        _ = model.update(.previewed(Self.selection("day1/c"), number: model.adding.questions))
        var other = model
        #expect(Self.place(other.update(.key(.enter))) == .folder(LocalPath("/out/day2")))
        let effects = model.type("a")
        guard case .add? = effects.first else {
            Issue.record("nothing was added")
            return
        }
    }

    @Test func `enter on what is marked adds`() {
        var model = Self.make()
        _ = model.update(.key(.down))
        model.type(" k")
        #expect(model.frame().description.contains("[Enter] add"))
        #expect(Self.request(in: model.update(.key(.enter)))?.marked == [LocalPath("/out/day1")])
    }

    @Test func `a folder is shown before it is added if its files were not counted yet`() {
        var model = Self.make()
        _ = model.update(.key(.down))
        model.type(" ka")
        let early = model.update(
            .previewed(Self.selection("day1/a", "day1/b"), number: model.adding.questions))
        #expect(early.isEmpty)
        #expect(model.frame().description.contains("2 files, 4 KiB"))
        guard case .add? = model.type("a").first else {
            Issue.record("nothing was added")
            return
        }
    }

    @Test func `escape leaves the list before it closes, and names the marks that are lost`() {
        var model = Self.make()
        _ = model.update(.key(.down))
        model.type("  ")
        _ = model.update(.key(.escape))
        #expect(model.context == .add)
        _ = model.update(.key(.escape))
        #expect(model.context == .list)
        #expect(model.frame().description.contains("2 marks gone"))
    }

    @Test func `hidden names are shown when they are asked for, and a dot is text in the line`() {
        var model = Self.make()
        model.type(".")
        #expect(model.frame().description.contains("files /out/."))
        #expect(model.frame().description.contains(".hidden"), "a name was begun with a dot")
        _ = model.update(.key(.backspace))
        #expect(!model.frame().description.contains(".hidden"))
        _ = model.update(.key(.down))
        model.type(".")
        #expect(model.frame().description.contains(".hidden"))
        #expect(model.frame().description.contains("▸  day1/"))
    }

    @Test func `marking in a narrowed list ends the name that was begun`() {
        var model = Self.make()
        model.type("da")
        _ = model.update(.key(.down))
        model.type("jj ")
        let text = model.frame().description
        #expect(text.contains("files /out/ "))
        #expect(text.contains("a.mov"))
        #expect(Self.request(&model) == AddRequest(marked: [LocalPath("/out/data.txt")]))
    }

    @Test func `a listing of a folder that was left is not shown`() {
        var model = Self.make()
        _ = model.update(.key(.down))
        _ = model.update(.key(.right))
        let late = model.adding.questions
        _ = model.update(.key(.left))
        _ = model.update(.listed(.make("/out/day1", "late.mov"), number: late))
        #expect(!model.frame().description.contains("late.mov"))
        Self.answer(&model, with: Self.out)
        #expect(model.frame().description.contains("data.txt"))
    }

    @Test func `a folder that hangs can be left, and nothing of the last one is acted upon`() {
        var model = Self.make()
        _ = model.update(.key(.down))
        _ = model.update(.key(.right))
        #expect(model.frame().description.contains("looking"))
        #expect(!model.frame().description.contains("a.mov"))
        #expect(model.type("a").isEmpty)
        #expect(Self.place(model.update(.key(.left))) == .folder(LocalPath("/out")))
    }

    @Test func `enter that comes before the folder is seen neither goes back nor adds`() {
        var model = Self.make()
        _ = model.update(.key(.down))
        model.type(" ")
        #expect(Self.place(model.update(.key(.enter))) == .folder(LocalPath("/out/day2")))
        #expect(model.update(.key(.enter)).isEmpty)
        #expect(model.context == .browse)
    }

    @Test func `a folder that cannot be read says why, and can be left`() {
        var model = Self.make()
        _ = model.update(.key(.down))
        _ = model.update(.key(.right))
        Self.answer(
            &model,
            with: BrowsedFolder(
                path: LocalPath("/out/day1"), text: "/out/day1/", contents: .unreadable("permission denied")))
        #expect(model.frame().description.contains("cannot be read: permission denied"))
        #expect(Self.place(model.update(.key(.enter))) == .folder(LocalPath("/out")))
    }

    @Test(arguments: [([String](), "empty"), ([".a", ".b"], "2 hidden")])
    func `a folder with nothing to see says so`(names: [String], what: String) {
        let model = Self.make(folder: .make("/out", names: names))
        #expect(model.frame().description.contains(what))
    }

    @Test func `a folder with a hundred thousand names is drawn at once`() {
        let names = (0..<100_000).map { "file\($0)" }
        var model = Self.make(folder: .make("/out", names: names))
        _ = model.update(.key(.down))
        _ = model.update(.key(.end))
        // The machine may be busy, so the fastest of some frames counts.
        let durations = (0..<10).map { _ in
            ContinuousClock().measure { #expect(model.frame().description.contains("file99999")) }
        }
        #expect(durations.min().map { $0 < .milliseconds(200) } == true)
        _ = model.update(.key(.control("a")))
        #expect(model.frame().description.contains("100,000 marked"))
    }

    @Test func `names of any bytes are shown harmlessly and marked as they are`() {
        let names: [[UInt8]] = [[0xFF, 0x41], [0x0A], Array("\u{1B}[31mred".utf8), Array(" 'x' ".utf8)]
        let folder = BrowsedFolder(
            path: LocalPath("/out"), text: "/out/",
            contents: .entries(names.map { .init(name: $0, kind: .file(1)) }))
        var model = Self.make(folder: folder)
        _ = model.update(.key(.down))
        _ = model.update(.key(.control("a")))
        #expect(Self.request(&model)?.marked.map(\.lastComponent) == names)
        let text = model.frame().description
        #expect(text.contains("\u{FFFD}A") && text.contains("\\n") && text.contains("\\e[31mred"))
    }

    @Test func `a folder with a name that no line can hold is opened all the same`() {
        let folder = FolderContents.Entry(name: [0xFF], kind: .folder)
        var model = Self.make(
            folder: BrowsedFolder(
                path: LocalPath("/out"), text: "/out/", contents: .entries([folder])))
        _ = model.update(.key(.down))
        let path = LocalPath(bytes: Array("/out/".utf8) + [0xFF])
        #expect(Self.place(model.update(.key(.right))) == .folder(path))
        Self.answer(
            &model,
            with: BrowsedFolder(
                path: path, text: nil, contents: .entries([.init(name: [0x61], kind: .file(1))])))
        #expect(model.frame().description.contains("/out/\u{FFFD}/"))
        model.type(" ")
        #expect(Self.request(&model)?.marked == [path.appending([0x61])])
    }

    @Test func `a pattern stays in the line when another folder is opened`() {
        var model = Self.make(typed: "/out/*.txt")
        _ = model.update(.key(.down))
        _ = model.update(.key(.right))
        Self.answer(&model, with: .make("/out/day1", "c.mov"))
        let text = model.frame().description
        #expect(text.contains("files /out/*.txt") && text.contains("c.mov"))
    }

    @Test func `a paste in the list replaces a line that only says where`() {
        var model = Self.make()
        _ = model.update(.key(.down))
        _ = model.update(.key(.paste("/other/x.mov", isComplete: true)))
        #expect(model.context == .add)
        #expect(model.frame().description.contains("files /other/x.mov"))
    }

    @Test func `all that was left out can be read`() {
        var model = Self.make()
        let problems = (1...40).map {
            FileSelection.Problem(path: LocalPath("/out/x\($0)"), reason: "no such file")
        }
        _ = model.update(
            .previewed(FileSelection(files: [], problems: problems), number: model.adding.questions - 1))
        _ = model.update(
            .previewed(FileSelection(files: [], problems: problems), number: model.adding.questions))
        _ = model.update(.key(.function(3)))
        #expect(model.context == .leftOut)
        #expect(model.frame().description.contains("Left out: 1 to "))
        _ = model.update(.key(.end))
        #expect(model.frame().description.contains("/out/x40: no such file"))
        _ = model.update(.key(.escape))
        #expect(model.context == .add)
    }

    @Test func `files that are already queued for the same destination are counted`() {
        var model = Model.make([.make(1, name: "a.mov"), .make(2, name: "b.mov", state: .done)])
        model.type("a/out/")
        _ = model.pass(to: 1)
        for number in 1...model.adding.questions {
            _ = model.update(.previewed(Self.selection("a.mov", "b.mov"), number: number))
        }
        #expect(model.frame().description.contains("2 files, 4 KiB  1 already queued"))
    }

    @Test func `files with done uploads that have left the queue are counted`() {
        var model = Model.make([.make(1, name: "a.mov")])
        model.type("a/out/")
        _ = model.pass(to: 1)
        let selection = Self.selection("a.mov", "b.mov")
        let past = selection.files.map { file in
            var upload = Upload.make(9, name: file.relativeName, state: .done)
            upload.identity = file.identity
            return upload
        }
        for number in 1...model.adding.questions {
            _ = model.update(.previewed(selection, past: past, number: number))
        }
        #expect(model.frame().description.contains("2 files, 4 KiB  1 already queued, 1 already done"))
    }

    @Test func `a click moves the cursor, one on the sign marks, two are enter`() throws {
        var model = Self.make()
        let frame = model.frame()
        let row = try #require((0..<24).first { frame.text($0).contains("day2/") })
        let line = Array(frame.text(row))
        let column = try #require(line.firstIndex(of: "d"))
        let name = try #require(frame.target(at: Point(row: row, column: column)))
        _ = model.update(.clicked(name))
        #expect(model.frame().description.contains("▸  day2/"))
        let effects = model.update(.clicked(name))
        #expect(Self.place(effects) == .folder(LocalPath("/out/day2")))
        Self.answer(&model, with: .make("/out/day2", "c.mov"))
        let shown = model.frame()
        let mark = try #require((0..<24).first { shown.text($0).contains("c.mov") })
        _ = model.update(.clicked(try #require(shown.target(at: Point(row: mark, column: column - 2)))))
        #expect(model.frame().description.contains("▸* c.mov"))
    }

    @Test(arguments: [true, false])
    func `at 40 by 10 there are two rows of the list, the line, the total and the keys`(isInList: Bool) {
        var model = Self.make(rows: 10, columns: 40)
        if isInList { _ = model.update(.key(.down)) }
        let text = model.frame().description
        #expect(text.contains("files /out/") && text.contains("../") && text.contains("day1/"))
        #expect(text.contains(isInList ? "nothing marked" : "looking"))
        #expect(text.contains(isInList ? "[Enter] open" : "[Enter] add"))
    }

    @Test func `on a small screen what is refused is said in the dialog`() {
        var model = Self.make(rows: 10, columns: 40)
        _ = model.update(.key(.down))
        model.type("u")
        #expect(model.frame().description.contains("nothing is marked"))
        model.type(" ")
        #expect(model.frame().description.contains("looking"))
    }

    @Test func `without a destination what is chosen stays chosen`() {
        var model = Model.make(destinations: [])
        model.type("a/out/a.mov")
        _ = model.update(.key(.enter))
        let effects = model.update(.previewed(Self.selection("a.mov"), number: model.adding.questions))
        #expect(effects.isEmpty)
        #expect(model.context == .add)
        #expect(model.frame().description.contains("no destination is configured"))
    }

    @Test func `the list disappears when there is no room, and the line remains`() {
        var model = Self.make(rows: 10, columns: 40)
        _ = model.update(.key(.down))
        #expect(model.context == .browse)
        _ = model.update(.resized(Size(rows: 6, columns: 36)))
        #expect(model.context == .add)
        _ = model.update(.key(.down))
        #expect(model.context == .add)
    }
}
