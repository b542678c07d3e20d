import FerryProtocols
import FerryTestSupport
import FerryTransfer
import FerryUploads
import Testing

@testable import FerryTUI

@Suite struct FilterTests {
    private static let uploads: [Upload] = [
        .make(1, name: "raw/IMG_1.CR3", size: 30 << 20),
        .make(2, name: "raw/IMG_2.jpg", size: 1000, state: .failed),
        .make(3, name: "two words.txt", size: 10, state: .running, destination: "photos"),
        .make(4, name: "überall.txt", size: 10, state: .waiting(5)),
        .make(5, name: "last.txt", size: 10, state: .done),
    ]

    private static func fitting(_ text: String) -> [Upload.ID] {
        let filter = RowFilter(text)
        return uploads.filter(filter.fits).map(\.id)
    }

    @Test(
        arguments: [
            ("", [1, 2, 3, 4, 5]), ("img", [1, 2]), ("IMG cr3", [1]), ("img !jpg", [1]), ("!img !txt", []),
            ("two words", [3]), ("\"two words\"", [3]), ("\"o w", [3]), ("words two", [3]), ("über", [4]),
            ("state:failed", [2]), ("state:f", [2]), ("STATE:Done", [5]), ("!state:done txt", [3, 4]),
            ("state:retry", [4]), ("state:up", [3]), ("state:q", [1]), ("size>1m", [1]),
            ("size<1k", [2, 3, 4, 5]),
            ("to:photos", [3]), ("!to:photos txt", [4, 5]), ("to:box.example", [1, 2, 3, 4, 5]),
            ("nothing", []),
        ] as [(String, [Upload.ID])])
    func `each word narrows what is shown`(text: String, shown: [Upload.ID]) {
        #expect(Self.fitting(text) == shown)
        #expect(RowFilter(text).problem == nil)
    }

    @Test(arguments: ["state:", "to:", "size>", "!", "\""])
    func `a word that has only begun narrows nothing yet`(text: String) {
        #expect(Self.fitting(text) == [1, 2, 3, 4, 5])
        #expect(RowFilter(text).problem == nil)
    }

    @Test func `an invalid filter term is reported, and the other terms still apply`() {
        #expect(RowFilter("size>much img").problem == "much is not a size; try size>20M")
        #expect(Self.fitting("size>much img") == [1, 2])
        let known = "known are queued, running, retry, waiting, offline, paused, held, failed, done"
        #expect(RowFilter("state:lost").problem == "there is no state 'lost'; \(known)")
        #expect(
            RowFilter("state:Faield").problem == "there is no state 'faield'; did you mean `failed`? \(known)"
        )
    }

    @Test func `typing shows what fits at once, Enter keeps it and Esc shows all again`() {
        var model = Model.make(Self.uploads)
        model.type("/img")
        #expect(model.list.rows.map(\.id) == [1, 2])
        #expect(model.frame().text(23).hasPrefix(" /img"))
        #expect(model.frame().text(23).hasSuffix("2 of 5"))
        _ = model.update(.key(.enter))
        #expect(model.list.rows.map(\.id) == [1, 2])
        #expect(model.frame().text(23).hasSuffix("/img  2/2"))
        _ = model.update(.key(.escape))
        #expect(model.list.rows.count == 5)
    }

    @Test func `Esc while typing shows all again`() {
        var model = Model.make(Self.uploads)
        model.type("/img")
        _ = model.update(.key(.escape))
        #expect(model.list.rows.count == 5)
        #expect(model.context == .list)
    }

    @Test func `nothing that is typed into the filter is a command`() {
        var model = Model.make(Self.uploads)
        let effects = model.type("/xqpR")
        #expect(effects.isEmpty)
        #expect(model.list.rows.isEmpty)
        _ = model.update(.key(.backspace))
        #expect(model.context == .filter)
        #expect(model.frame().description.contains("Nothing here fits the filter"))
    }

    @Test func `the cursor stays on its upload while that fits, and goes to a neighbour if not`() {
        var model = Model.make(Self.uploads)
        model.type("gjj")
        #expect(model.list.cursor?.id == 3)
        model.type("/txt")
        #expect(model.list.cursor?.id == 3)
        for _ in 0..<3 { _ = model.update(.key(.backspace)) }
        model.type("last")
        #expect(model.list.cursor?.id == 5)
    }

    @Test func `commands go to what is shown`() {
        var model = Model.make(Self.uploads)
        model.type("/cr3")
        _ = model.update(.key(.enter))
        _ = model.update(.key(.control("a")))
        #expect(model.list.targets.map(\.id) == [1])
    }

    @Test func `an upload comes and goes as it begins to fit and no longer does`() {
        var model = Model.make(Self.uploads)
        model.type("/state:failed")
        #expect(model.list.rows.map(\.id) == [2])
        _ = model.change(.make(3, state: .failed))
        #expect(model.list.rows.map(\.id) == [2, 3])
        _ = model.change(.make(2, state: .running))
        #expect(model.list.rows.map(\.id) == [3])
        _ = model.change(removed: [3])
        #expect(model.list.rows.isEmpty)
    }

    @Test func `the filter holds in every tab`() {
        var model = Model.make(Self.uploads)
        model.type("/txt")
        _ = model.update(.key(.enter))
        model.type("6")
        #expect(model.list.rows.map(\.id) == [5])
        model.type("3")
        #expect(model.list.rows.isEmpty)
    }

    @Test func `the rows kept for a filter equal those of a new search, whatever happens`() {
        var random = SeededGenerator(seed: 7)
        var table = UploadTable()
        let states: [Upload.State] = [.queued, .running, .failed, .done, .paused(.user)]
        for step in 0..<400 {
            if step % 40 == 0 {
                let text = ["", "1", "state:failed", "!2", "size>500"].randomElement(using: &random) ?? ""
                let tab = Tab.allCases.randomElement(using: &random) ?? .all
                table.arrange(RowFilter(text), by: .queue, in: tab)
            }
            let count = step % 100 == 99 ? 300 : Int.random(in: 1...3, using: &random)
            let changed = (0..<count).map { _ in
                Upload.make(
                    Int.random(in: 1...400, using: &random), size: .random(in: 0...1000, using: &random),
                    state: states.randomElement(using: &random) ?? .queued)
            }
            let removed = [Int.random(in: 1...400, using: &random)].filter { id in
                !changed.contains { $0.id == id }
            }
            table.apply(
                QueueUpdate(
                    isComplete: step % 150 == 149,
                    changed: Dictionary(grouping: changed, by: { $0.id }).values.compactMap(\.last),
                    removed: removed, status: EngineStatus()))
            guard let filter = table.filter else { continue }
            for tab in Tab.allCases where Array(table.shown(in: tab)) != Array(table.rows(in: tab)) {
                let expected = table.rows(in: tab).filter { table[$0.id].map(filter.fits) ?? false }
                #expect(Array(table.shown(in: tab)) == expected, "step \(step)")
            }
        }
    }
}

@Suite struct MarkRangeTests {
    @Test func `a range reaches from where it began to the cursor, both ways`() {
        var model = Model.make((1...9).map { .make($0) })
        model.type("gjjvjj")
        #expect(model.list.marks == [3, 4, 5])
        model.type("kkkk")
        #expect(model.list.marks == [1, 2, 3])
        model.type("v")
        model.type("jjjjj")
        #expect(model.list.marks == [1, 2, 3])
    }

    @Test func `a range is added to the marks there were, and Esc clears them all`() {
        var model = Model.make((1...9).map { .make($0) })
        model.type("g jjvj")
        #expect(model.list.marks == [1, 4, 5])
        _ = model.update(.key(.escape))
        #expect(model.list.marks.isEmpty)
        model.type("j")
        #expect(model.list.marks.isEmpty)
    }
}
