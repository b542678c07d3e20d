import FerryProtocols
import FerryUploads
import Testing

@testable import FerryTUI

struct GraphTests {
    @Test(arguments: [
        (GraphStyle.braille, ["⢀⣀⣤⣿"]), (.block, [" ▂▄█"]), (.ascii, [" .:#"]),
    ])
    func `a value fills its cell from the bottom, the newest at the right`(style: GraphStyle, lines: [String])
    {
        let values: [Double] = style == .braille ? [0, 1, 10, 10, 50, 50, 100, 100] : [0, 25, 50, 100]
        #expect(Graph(values, width: 4, height: 1, style: style).lines == lines)
    }

    @Test func `a short graph stands at the right, and the rest is blank`() {
        #expect(Graph([100], width: 4, height: 1, style: .block).lines == ["   █"])
        #expect(Graph([], width: 4, height: 2, style: .braille).lines == ["    ", "    "])
    }

    @Test func `several lines are one curve`() {
        let graph = Graph([50, 100, 10], width: 3, height: 2, style: .block)
        #expect(graph.lines == [" █ ", "██▂"])
        #expect(graph.peak == 100)
        #expect(graph.count == 3)
    }

    @Test func `only the newest values are shown, and the scale is theirs`() {
        let graph = Graph([1000, 4, 2], width: 2, height: 1, style: .block)
        #expect(graph.lines == ["▆▃"])
        #expect(graph.scale == 5)
    }

    @Test func `the peak and the scale are not below the rate that stands elsewhere`() {
        let graph = Graph([1, 4], width: 2, height: 1, style: .block, least: 16)
        #expect(graph.peak == 16)
        #expect(graph.scale == 20)
        #expect(Graph([1, 4], width: 2, height: 1, style: .block, least: .nan).peak == 4)
    }

    @Test func `the peak beside the graph is never below the rate in the first line`() {
        var model = Model.make([.make(1, size: 1 << 40, state: .running)], ownership: .detachable)
        var compared = 0
        for step in 0...24 {
            _ = model.pass(to: Double(step) * 0.25)
            let sample = ProgressSample(id: 1, sent: ByteCount(step) << 20, confirmed: 0, phase: .sending)
            _ = model.update(.progress([sample]))
            guard let rate = model.live.estimates.total.rate, rate > 0 else { continue }
            let line = model.frame().text(20)
            guard line.contains("peak") else { continue }
            #expect(line.contains("peak \(ByteFormat.rate(rate)) in "), "\(line)")
            compared += 1
        }
        #expect(compared > 10)
    }

    @Test(arguments: [
        (0.0, 1.0), (1, 1), (3, 5), (999, 1000), (1001, 1024), (1500, 2048), (3_000_000, 5_242_880),
        (.nan, 1),
    ])
    func `the scale is 1, 2 or 5 of the unit that rates are written in`(peak: Double, scale: Double) {
        #expect(Graph.scale(peak) == scale)
    }

    @Test(arguments: [(0, 0), (1, 1), (-3, 2), (2, 0), (300, 9)])
    func `every size has as many lines and cells as asked for`(width: Int, height: Int) {
        for style in GraphStyle.allCases {
            let graph = Graph([.infinity, -1, .nan, 5, 1e300], width: width, height: height, style: style)
            #expect(graph.lines.count == height)
            #expect(graph.lines.allSatisfy { $0.count == max(0, width) })
        }
    }

    @Test func `samples are gathered into values of equal length`() {
        var history = RateHistory(span: 0.5)
        history.add(bytes: 100, over: 0.25)
        #expect(history.values.isEmpty)
        history.add(bytes: 300, over: 0.25)
        #expect(history.values == [800])
        history.add(bytes: 100, over: 1)
        #expect(history.values == [800, 100, 100])
    }

    @Test func `a day without uploads is no more than what is kept of it`() {
        var history = RateHistory(span: 0.5)
        history.add(bytes: 0, over: 86_400)
        #expect(history.values.count == RateHistory.limit)
    }

    @Test func `the time without uploads is there as such`() {
        var history = ThroughputHistory()
        history.add(bytes: 1000, over: 1, now: 10)
        history.add(bytes: 1000, over: 1, now: 13)
        let values = history.seconds.values
        #expect(values.count == 8)
        #expect(values[2..<6].allSatisfy { $0 == 0 })
        #expect(values[6] > 0)
    }

    @Test func `bytes that fill the socket's buffer do not count as the link's rate`() {
        var history = ThroughputHistory()
        history.add(bytes: 4_000_000, over: 0.25, now: 0.25)
        for step in 2...40 { history.add(bytes: 250_000, over: 0.25, now: Double(step) * 0.25) }
        let values = history.seconds.values
        #expect((values.max() ?? 0) < 3_000_000)
        #expect(abs((values.last ?? 0) - 1_000_000) < 50_000)
    }

    @Test func `a terminal that turns out to have no such signs has ASCII graphs`() {
        var appearance = Appearance(wantedGraph: .block)
        #expect(appearance.graph == .block)
        appearance.glyphs = Glyphs(isUnicode: false)
        #expect(appearance.graph == .ascii)
    }

    @Test func `t shows more time, then nothing, and the list gets the room`() {
        var model = Model.make([.make(1, state: .running)])
        let rows = model.layout.list.count
        #expect(model.live.graph == .seconds)
        model.type("t")
        #expect(model.live.graph == .minutes)
        model.type("t")
        #expect(model.layout.list.count == rows + 1)
        #expect(model.layout.graph.isEmpty)
        model.type("t")
        #expect(model.live.graph == .seconds)
    }

    @Test(arguments: [(18, 72), (24, 80), (31, 120), (32, 110), (40, 120), (200, 500)], [true, false])
    func `the parts of the screen lie below each other without a gap too many`(
        size: (Int, Int), hasGraph: Bool
    ) {
        let layout = Layout(Size(rows: size.0, columns: size.1), hasGraph: hasGraph)
        let titles = layout.sizeClass == .wide ? 1 : 0
        var next = layout.list.upperBound
        for part in [layout.details, layout.graph, layout.log] where !part.isEmpty {
            #expect(part.lowerBound == next + titles)
            next = part.upperBound
        }
        #expect(layout.noteRow == (layout.details.isEmpty ? next : next - 1))
        #expect(layout.hintRow == layout.noteRow.map { $0 + 1 })
        #expect(layout.list.count >= 8)
    }
}
