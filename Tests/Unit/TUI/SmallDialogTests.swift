import FerryProtocols
import FerryTransfer
import FerryUploads
import Testing

@testable import FerryTUI

/// Tests questions and boxes on small screens.
@Suite struct SmallDialogTests {
    private static let sizes = [(10, 40), (6, 36)]

    private static func busy(_ rows: Int, _ columns: Int, _ ownership: EngineOwnership = .detachable) -> Model
    {
        var model = Model.make(
            (1...6).map {
                .make($0, name: "film number \($0) of a long series.mov", state: .running, confirmed: 100)
            }, rows: rows, columns: columns, ownership: ownership)
        for id in 1...6 {
            guard var upload = model.table[id] else { continue }
            upload.batch = "a long series"
            upload.tries.attempts = 3
            _ = model.change(upload)
        }
        _ = model.pass(to: 1)
        return model
    }

    @Test(arguments: [EngineOwnership.own, .detachable, .attached], sizes)
    func `each way to leave can be read`(ownership: EngineOwnership, size: (Int, Int)) {
        var model = Self.busy(size.0, size.1, ownership)
        model.type("q")
        let screen = model.frame().description
        for entry in model.actions.entries(in: model.context) {
            #expect(screen.contains("[\(entry.keys[0].label)]"), "\(screen)")
        }
        // A line that is cut off ends with an ellipsis.
        for line in screen.split(separator: "\n") where line.contains("background") == false {
            #expect(!line.contains("in the b") || line.contains("…"), "\(screen)")
        }
    }

    @Test func `the number of running uploads is shown where the names of all do not fit`() {
        var model = Self.busy(10, 40)
        model.type("q")
        let screen = model.frame().description
        #expect(screen.contains("6 uploads are running:"), "\(screen)")
        #expect(screen.contains("and 4 more"), "\(screen)")
    }

    @Test func `the cost of a removal can be read to the end`() {
        var model = Self.busy(12, 40)
        model.type("x")
        let words = model.frame().description.split(whereSeparator: { " \n│".contains($0) }).joined(
            separator: " ")
        #expect(words.contains("that part is deleted there, and it starts again from 0."), "\(words)")
        #expect(words.contains("[Esc] keep them (default)") && words.contains("[y] remove"))
    }

    @Test func `the question before a removal says to its end that the files on this machine stay`() {
        var model = Self.busy(10, 40)
        model.type("x")
        let screen = model.frame().description
        #expect(screen.contains("│ The files on this machine stay.      │"), "\(screen)")
    }

    @Test(arguments: sizes) func `every order of the rows can be chosen`(size: (Int, Int)) {
        var model = Self.busy(size.0, size.1)
        model.type("o")
        let screen = model.frame().description
        for key in ["q", "n", "s", "p", "r", "e", "t", "Esc"] {
            #expect(screen.contains("[\(key)]"), "\(screen)")
        }
    }

    @Test(arguments: sizes) func `all of the details can be seen, page by page`(size: (Int, Int)) {
        var model = Self.busy(size.0, size.1)
        model.type("i")
        var seen = model.frame().description
        #expect(seen.contains("PgDn: "), "\(seen)")
        for _ in 0..<12 {
            _ = model.update(.key(.pageDown))
            seen += model.frame().description
        }
        for label in ["from ", "to ", "protocol ", "state ", "on server "] {
            #expect(seen.contains("│ " + label), "\(seen)")
        }
        #expect(!model.frame().description.contains("below"))
        for _ in 0..<12 { _ = model.update(.key(.pageUp)) }
        #expect(model.frame().description.contains("│ from "))
        #expect(!model.frame().description.contains("above"))
    }

    @Test func `the next upload is looked at from its first line`() {
        var model = Self.busy(6, 36)
        model.type("gi")
        _ = model.update(.key(.pageDown))
        model.type("]")
        #expect(model.frame().description.contains("│ from "))
    }
}
