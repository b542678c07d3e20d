import FerryProtocols
import FerryTestSupport
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

@Suite struct RandomFrameTests {
    private static let names = [
        "a", "報告書報告書報告書報告書報告書.pdf", "evil\u{1B}]0;x\u{7}\u{202E}.txt",
        String(repeating: "long", count: 80) + ".mov",
        "👩‍👩‍👧‍👦🇩🇪é\u{301}\u{301}\u{301}", "", "\\\\", "प्रतिवेदन.pdf",
    ]
    private static let states: [Upload.State] = [
        .queued, .running, .waiting(5), .waiting(-1e12), .waiting(1e18), .paused(.user), .paused(.offline),
        .changed,
        .done, .failed,
    ]
    private static let keys: [Key] = [
        .character("?"), .character("a"), .character("b"), .character("c"), .character("x"), .character("q"),
        .character("i"), .character("l"), .character("o"), .character("n"), .character("s"), .character("r"),
        .character("t"), .character("w"), .character("v"), .character("y"), .character("/"), .control("c"),
        .character("p"), .character(" "), .character("G"), .character("2"), .character("報"), .escape, .enter,
        .tab,
        .backTab, .down, .down, .right, .control("a"), .function(3), .character("."),
        .wheel(3, Point(row: 3, column: 3)), .pageDown, .left, .burst("/batch:x\n"),
        .paste("/a/b\n/報告\n", isComplete: true),
        .paste(String(repeating: "報", count: 300), isComplete: true),
    ]

    private static func upload(_ id: Int, _ dice: inout SeededGenerator) -> Upload {
        .make(
            id, name: names.randomElement(using: &dice),
            size: [0, 1, 5000, .max, -7].randomElement(using: &dice) ?? 0,
            state: states.randomElement(using: &dice) ?? .queued,
            confirmed: [0, 1, 4000, .max].randomElement(using: &dice) ?? 0,
            method: ["put", "tus"].randomElement(using: &dice) ?? "put")
    }

    @Test(arguments: 0..<8) func `every screen of every size is drawn whole`(seed: Int) {
        var dice = SeededGenerator(seed: UInt64(seed))
        let reply = FileSelection(
            files: [
                .init(path: LocalPath("/報"), identity: Upload.make(1).identity, relativeName: "報告\u{1B}")
            ],
            problems: [.init(path: LocalPath("/\u{202E}x"), reason: "no such file")])
        for round in 0..<20 {
            let count = Int.random(in: 0...40, using: &dice)
            var model = Model.make(
                count == 0 ? [] : (1...count).map { Self.upload($0, &dice) },
                isUnicode: Bool.random(using: &dice),
                graph: GraphStyle.allCases.randomElement(using: &dice) ?? .braille,
                destinations: [[], ["box"], ["box", "報告"]].randomElement(using: &dice) ?? [])
            for step in 0..<12 {
                let small = Bool.random(using: &dice)
                _ = model.update(
                    .resized(
                        Size(
                            rows: .random(in: 1...(small ? 12 : 200), using: &dice),
                            columns: .random(in: 1...(small ? 50 : 500), using: &dice))))
                _ = model.pass(to: Double(round * 20 + step))
                if let key = Self.keys.randomElement(using: &dice) { _ = model.update(.key(key)) }
                if count > 0 { _ = model.change(Self.upload(.random(in: 1...count, using: &dice), &dice)) }
                if case .add(let add) = model.dialog {
                    _ = model.update(
                        .listed(.make(add.browser.reference, &dice), number: model.adding.questions))
                }
                _ = model.update(.previewed(reply, number: model.adding.questions))
                _ = model.update(.completed(["/報告", "/報告書"], number: model.adding.questions))
                _ = model.update(
                    .progress(
                        model.table.running.map { id in
                            ProgressSample(
                                id: id, sent: .random(in: 0...(.max), using: &dice), confirmed: 0,
                                phase: [.connecting, .sending, .waitingForServer].randomElement(using: &dice)
                                    ?? .sending)
                        }))
                let frame = model.frame()
                #expect(frame.cells.count == model.size.rows * model.size.columns)
                #expect(frame.isWhole, "\(model.size)\n\(frame)")
                #expect((0..<model.size.rows).contains(frame.cursor.row))
                #expect((0..<model.size.columns).contains(frame.cursor.column))
            }
        }
    }

    @Test func `the list is drawn at every width`() {
        for columns in 1...500 {
            var model = Model.make([.make(1, name: "報告書.pdf", state: .failed)], rows: 20)
            _ = model.update(.resized(Size(rows: 20, columns: columns)))
            #expect(model.frame().isWhole)
        }
    }

    @Test(arguments: 36...300) func `a name has room for twelve columns wherever there is a list`(
        columns: Int
    ) {
        #expect(Columns(width: columns)[.name].count >= 12)
        #expect(Columns(width: columns, longest: { 1 })[.name].count >= 12)
    }
}
