import FerryProtocols
import FerryTestSupport
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

struct OrderTests {
    private static func model() -> Model {
        .make([
            .make(1, name: "b10.mov", size: 500), .make(2, name: "B9.mov", size: 3000),
            .make(3, name: "a.mov", size: 1000, confirmed: 900),
            .make(4, name: "c.mov", size: 500, state: .done),
        ])
    }

    private static func ids(_ model: Model) -> [Upload.ID] { model.list.rows.map(\.id) }

    @Test(arguments: [
        ("oq", [4, 3, 2, 1]), ("on", [3, 2, 1, 4]), ("onon", [4, 1, 2, 3]), ("os", [2, 3, 1, 4]),
        ("osos", [1, 4, 3, 2]), ("op", [4, 3, 1, 2]), ("onoq", [1, 2, 3, 4]),
    ])
    func `rows stand as the order menu says, and the same once more turns them round`(
        keys: String, order: [Upload.ID]
    ) {
        var model = Self.model()
        model.type(keys)
        #expect(Self.ids(model) == order)
        #expect(model.dialog == nil)
    }

    @Test func `numbers in names count as numbers and capital letters as small ones`() {
        let names = ["file9", "file10", "File9b", "file010", "x", "file", "10", "9"]
        var model = Model.make(names.enumerated().map { .make($0 + 1, name: $1) })
        model.type("on")
        #expect(
            model.list.rows.compactMap { model.table[$0.id]?.path.name }
                == ["9", "10", "file", "file9", "File9b", "file10", "file010", "x"])
    }

    @Test func `the cursor stays on its upload when the rows are sorted anew`() {
        var model = Self.model()
        model.type("gjj")
        #expect(model.list.cursor?.id == 3)
        model.type("on")
        #expect(model.list.cursor?.id == 3)
        #expect(model.list.cursorIndex == 0)
    }

    @Test func `filtered rows have the same sort in every tab`() {
        var model = Self.model()
        model.type("os/b")
        _ = model.update(.key(.enter))
        #expect(Self.ids(model) == [2, 1])
        model.type("3")
        #expect(Self.ids(model) == [2, 1])
        _ = model.change(.make(5, name: "b2.mov", size: 1000))
        #expect(Self.ids(model) == [2, 5, 1])
        _ = model.change(removed: [2])
        #expect(Self.ids(model) == [5, 1])
    }

    @Test func `rows by rate follow the uploads as they move`() {
        var model = Model.make([
            .make(1, size: 10_000_000, state: .running), .make(2, size: 10_000_000, state: .running),
            .make(3),
        ])
        model.type("or")
        for step in 0..<8 {
            _ = model.update(.clock(.at(Double(step) * 0.25)))
            let sent = ByteCount(step) * 1000
            _ = model.update(
                .progress([
                    ProgressSample(id: 1, sent: sent, confirmed: 0, phase: .sending),
                    ProgressSample(id: 2, sent: sent * 3, confirmed: 0, phase: .sending),
                ]))
        }
        #expect(Self.ids(model) == [2, 1, 3])
        _ = model.change(.make(2, size: 10_000_000, state: .paused(.user)))
        #expect(Self.ids(model) == [1, 2, 3])
    }

    @Test func `a range reaches over what stands between, in whatever order`() {
        var model = Self.model()
        model.type("ongvjj")
        #expect(model.list.marks == [3, 2, 1])
    }

    @Test func `moving in the queue is refused while the rows stand otherwise`() {
        var model = Self.model()
        model.type("on")
        #expect(model.type("K").isEmpty)
        #expect(
            model.toast.current?.text == "rows are sorted by name; moving needs the queue's order: o q")
    }

    @Test func `the header says by what and which way`() {
        var model = Self.model()
        model.type("os")
        #expect(model.frame().text(2).contains("SIZE▼"))
        model.type("os")
        #expect(model.frame().text(2).contains("SIZE▲"))
        #expect(model.frame().text(1).hasSuffix("by size ▲"))
    }

    @Test func `a click on a header is its order`() throws {
        var model = Self.model()
        let column = try #require(Array(model.frame().text(2)).firstIndex(of: "N"))
        let target = try #require(model.frame().target(at: Point(row: 2, column: column)))
        _ = model.update(.clicked(target))
        #expect(model.table.order == RowOrder(.name))
    }

    /// Makes random changes to a table, and compares its rows after each with a new sort.
    @Test(arguments: RowOrder.Key.allCases)
    func `rows are as if sorted anew after every change`(key: RowOrder.Key) {
        var random = SeededGenerator(seed: 11)
        var table = UploadTable()
        table.arrange(nil, by: RowOrder(key), in: .all)
        var next = 1
        for step in 0..<400 {
            var changed: [Upload] = []
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let isNew = Bool.random(using: &random)
                let id = isNew ? next : Int.random(in: 1...next, using: &random)
                if isNew { next += 1 }
                let states: [Upload.State] = [.queued, .running, .done, .paused(.user)]
                changed.append(
                    .make(
                        id, rank: table[id]?.rank ?? Int64(id), name: "n\(id % 7)", size: ByteCount(id % 5),
                        state: states.randomElement(using: &random) ?? .queued))
            }
            let removed =
                Int.random(in: 0..<4, using: &random) == 0 ? [Int.random(in: 1...next, using: &random)] : []
            table.apply(
                QueueUpdate(
                    isComplete: false, changed: changed.filter { !removed.contains($0.id) }, removed: removed,
                    status: EngineStatus()))
            let rates = table.running.map { id in
                (
                    id,
                    TransferRate(
                        sent: ByteCount(id % 3), rate: Double((id + step) % 5), remaining: Double(id % 4))
                )
            }
            _ = table.measure(Dictionary(uniqueKeysWithValues: rates))
            var anew = table
            anew.arrange(nil, by: .queue, in: .all)
            anew.arrange(nil, by: RowOrder(key), in: .all)
            #expect(Array(table.shown(in: .all)) == Array(anew.shown(in: .all)), "step \(step)")
            for (index, place) in table.shown(in: .all).enumerated() {
                #expect(table.shown(in: .all).index(of: place) == index)
            }
        }
    }
}
