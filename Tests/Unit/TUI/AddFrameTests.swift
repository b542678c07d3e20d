import FerryTransfer
import FerryUploads
import Testing

@testable import FerryTUI

@Suite struct AddFrameTests {
    /// Returns a model with the Add dialog's list, with marked files in two folders.
    private static func adding(rows: Int, columns: Int, isUnicode: Bool = true) -> Model {
        var model = Model.make(
            [.make(1, name: "notes.txt")], rows: rows, columns: columns, isUnicode: isUnicode,
            destinations: ["box", "archive"])
        model.type("a/out/")
        _ = model.pass(to: 1)
        func answer(_ folder: BrowsedFolder) {
            for number in 1...model.adding.questions { _ = model.update(.listed(folder, number: number)) }
        }
        answer(.make("/out", "cam-A/", "cam-B/", "evil\u{1B}[31mred.txt", "notes.txt", "報告書-最終版.pdf"))
        _ = model.update(.key(.down))
        _ = model.update(.key(.right))
        answer(.make("/out/cam-A", "a.mov"))
        model.type(" ")
        _ = model.update(.key(.left))
        answer(.make("/out", "cam-A/", "cam-B/", "evil\u{1B}[31mred.txt", "notes.txt", "報告書-最終版.pdf"))
        model.type("jjj ")
        _ = model.pass(to: 2)
        let files = ["cam-A/a.mov", "notes.txt"].map { name in
            FileSelection.File(
                path: LocalPath("/out/" + name), identity: Upload.make(1, size: 2048).identity,
                relativeName: name)
        }
        let problem = FileSelection.Problem(path: LocalPath("/out/cam-A/.x"), reason: "is hidden")
        let selection = FileSelection(files: files, problems: [problem])
        for number in 1...model.adding.questions { _ = model.update(.previewed(selection, number: number)) }
        return model
    }

    @Test func `adding at 80 by 24`() {
        let expected = """
             ● online  1 KiB left
            ┌ Add ─────────────────────────────────────────────────────────────────────────┐
            │ files /out/                                                                  │
            │ to    box   1 of 2                                                           │
            │ ─ /out/ ──────────────────────────────────────────── 2 marked, 1 elsewhere ─ │
            │    ../                                                                       │
            │    cam-A/                                                                    │
            │    cam-B/                                                                    │
            │    evil\\e[31mred.txt                                                    2.0K │
            │  * notes.txt                                                            2.0K │
            │ ▸  報告書-最終版.pdf                                                    2.0K │
            │                                                                              │
            │                                                                              │
            │                                                                              │
            │ ──────────────────────────────────────────────────────────────────────────── │
            │ 2 files, 4 KiB  1 already queued, 1 left out                                 │
            │   cam-A/a.mov                                                           2.0K │
            │   notes.txt                                                             2.0K │
            │   /out/cam-A/.x: is hidden                                                   │
            │ [Enter] add  [space] mark  [Esc] line  [Left] up  [.] hidden  [a] add        │
            │ [u] unmark all  [v] left out                                                 │
            └──────────────────────────────────────────────────────────────────────────────┘
             /out/notes.txt -> box
             ? help  a add  p pause  x remove  u undo  q quit  space mark  o sort        1/1
            """
        #expect(Self.adding(rows: 24, columns: 80).frame().description == expected)
    }

    @Test func `adding at 40 by 10 in ASCII`() {
        let expected = """
            + Add ---------------------------------+
            | files /out/                          |
            | to    box   2 marked, 1 elsewhere    |
            |  * notes.txt                    2.0K |
            | >  報告書-最終版.pdf            2.0K |
            | 2 files, 4 KiB  1 queued, 1 left out |
            | [Enter] add  [space] mark            |
            | [Esc] line  [Left] up  [.] hidden    |
            | [a] add  [u] unmark all              |
            +--------------------------------------+
            """
        #expect(Self.adding(rows: 10, columns: 40, isUnicode: false).frame().description == expected)
    }
}
