import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

/// Tests the lines at the bottom of the terminal while a command uploads.
struct LiveLinesTests {
    private func lines(_ uploads: [Upload], isUnicode: Bool = false) -> LiveLines {
        var lines = LiveLines(isUnicode: isUnicode)
        lines.advance(to: 0, Date())
        lines.take(QueueUpdate(isComplete: true, changed: uploads, removed: [], status: EngineStatus()))
        return lines
    }

    private func change(_ lines: inout LiveLines, _ upload: Upload) {
        lines.take(QueueUpdate(isComplete: false, changed: [upload], removed: [], status: EngineStatus()))
    }

    /// Sends bytes at a constant rate for `seconds`.
    private func run(_ lines: inout LiveLines, seconds: Int, bytesPerSecond: ByteCount) {
        for half in 0...(seconds * 2) {
            lines.advance(to: Double(half) / 2, Date())
            lines.take([
                ProgressSample(
                    id: 1, sent: ByteCount(half) * bytesPerSecond / 2, confirmed: 0, phase: .sending)
            ])
        }
    }

    private func text(_ lines: LiveLines, columns: Int = 79, rows: Int = 24) -> [String] {
        lines.lines(columns: columns, rows: rows, hasColour: false).map(\.text)
    }

    @Test func `the bar, the amounts, the rate, the time left and the counts are shown`() {
        var live = lines([
            .make(1, name: "film.mov", size: 100 << 20, state: .running), .make(2, size: 100 << 20),
            .make(3, size: 5, state: .done),
        ])
        run(&live, seconds: 20, bytesPerSecond: 1 << 20)
        let text = text(live)
        #expect(text[0].hasPrefix("###---"))
        #expect(text[0].contains("10%  20 MiB of 200 MiB  1 MiB/s  ETA 03:00"), "\(text[0])")
        #expect(text[1] == "1 running, 1 queued")
        #expect(text[2].contains("film.mov  20%  1 MiB/s"))
    }

    @Test func `progress counts the uploads that are done now, and not those done before`() {
        var live = lines([
            .make(1, size: 1024, state: .running), .make(2, size: 3072), .make(3, size: 9000, state: .done),
        ])
        change(&live, .make(2, size: 3072, state: .done))
        let text = text(live)
        #expect(text[0].contains("75%  3 KiB of 4 KiB"), "\(text[0])")
        #expect(text[1] == "1 running, 1 done")
    }

    @Test func `it says 100 percent only once all is done`() {
        var live = lines([.make(1, size: 100_000, state: .running)])
        run(&live, seconds: 1, bytesPerSecond: 100_000)
        #expect(text(live)[0].contains("99%"))
        change(&live, .make(1, size: 100_000, state: .done))
        #expect(text(live)[0].contains("100%"))
    }

    @Test(arguments: [12, 20, 39, 60, 79, 200], [false, true])
    func `no line is wider than the terminal`(columns: Int, isUnicode: Bool) {
        var live = lines(
            [
                .make(
                    1, name: "日本語の長い名前のファイル-with-a-very-long-tail.mov", size: 100_000_000,
                    state: .running)
            ] + (2...9).map { .make($0, size: 1 << 30, state: .failed) }, isUnicode: isUnicode)
        run(&live, seconds: 20, bytesPerSecond: 1_234_567)
        for line in live.lines(columns: columns, rows: 24, hasColour: false) {
            #expect(line.width <= columns)
            #expect(SafeText(line.text).width == line.width, "\(line.text)")
        }
    }

    @Test func `a low terminal has no room for files`() {
        var live = lines([.make(1, size: 1000, state: .running)])
        run(&live, seconds: 1, bytesPerSecond: 10)
        #expect(text(live, rows: 6).count == 2)
    }

    @Test func `colours do not count as width`() {
        var live = lines([.make(1, size: 1_000_000, state: .running)])
        run(&live, seconds: 6, bytesPerSecond: 1000)
        let plain = live.lines(columns: 79, rows: 24, hasColour: false)[0]
        let coloured = live.lines(columns: 79, rows: 24, hasColour: true)[0]
        #expect(coloured.width == plain.width)
        #expect(coloured.text.contains("\u{1B}[32m"))
        #expect(!plain.text.contains("\u{1B}"))
    }
}

/// Tests the table of `ferry list` on a terminal.
struct ListTableTests {
    private func row(_ number: Int, _ name: String, to place: String = "films", remark: String = "")
        -> ListTable.Row
    {
        (
            number: String(number), state: "failed", size: "1.2G", progress: "43%", name: name,
            destination: place,
            remark: remark
        )
    }

    @Test func `it has a header and a line for each upload`() {
        let lines = ListTable([row(7, "film.mov")], columns: 80, isUnicode: true).lines
        #expect(
            lines == [
                "ID  STATE     SIZE  DONE  NAME      TO", " 7  failed    1.2G   43%  film.mov  films",
            ])
    }

    @Test(arguments: [20, 40, 60, 80, 120, 200])
    func `no line is wider than the terminal`(columns: Int) {
        let rows = [
            row(
                123_456, String(repeating: "long-", count: 40) + "end.mov", to: "https://host.example/a/b/c/"),
            row(2, "日本語の長い名前のファイルの名前.mov", remark: String(repeating: "refused ", count: 30)),
        ]
        for line in ListTable(rows, columns: columns, isUnicode: true).lines {
            #expect(SafeText(line).width <= max(columns, 46), "\(line)")
        }
    }

    @Test func `a long name is shortened in its middle, and its ending stays`() {
        let name = String(repeating: "holiday-", count: 20) + "final.mov"
        let line = ListTable([row(1, name)], columns: 80, isUnicode: true).lines[1]
        #expect(line.contains("holiday-holi"))
        #expect(line.contains("…"))
        #expect(line.contains("final.mov  films"))
    }

    @Test func `a remark gets what room is left, and a name keeps two thirds`() {
        let line = ListTable(
            [row(1, "film.mov", remark: "403 no write access to audio/")], columns: 80,
            isUnicode: true
        ).lines[1]
        #expect(line.hasSuffix("films  403 no write access to audio/"))
    }

    @Test
    func `rows that follow the first ones have room for their numbers, names, destinations and remarks`() {
        let table = ListTable(
            [row(1, "film.mov")],
            before: ListTable.Rest(largestNumber: 10_000, hasSeveralDestinations: true), columns: 100,
            isUnicode: true)
        let later = table.lines(of: [row(10_000, "a-later-film.mov", to: "archive", remark: "403 no access")]
        )[0]
        #expect(
            later
                == "10000  failed    1.2G   43%  a-later-film.mov                 archive               403 no access"
        )
        #expect(table.lines[1].hasPrefix("    1  failed    1.2G   43%  film.mov  "))
    }
}
