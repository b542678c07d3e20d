import FerryProtocols
import FerryUploads

/// The graph of the total rate over the chosen time span.
struct GraphView {
    let model: Model

    private static let labelWidth = 25

    func draw(rows: Range<Int>, in frame: inout Frame) {
        guard let history = model.live.history[model.live.graph], !rows.isEmpty else { return }
        let room = model.size.columns - 2
        let width = min(
            RateHistory.limit / model.appearance.graph.valuesPerCell, max(0, room - Self.labelWidth))
        // The graph is smoothed. Without `least`, its peak could be lower than the rate in the first line.
        let graph = Graph(
            history.values, width: width, height: rows.count, style: model.appearance.graph,
            least: model.live.estimates.total.rate ?? 0)
        for (line, row) in zip(graph.lines, rows) { frame.put(line, row: row, column: 1, role: .graph) }
        let labels = labels(graph, span: history.span, lines: rows.count)
        for (label, row) in zip(labels, rows) {
            frame.put(label, row: row, column: width + 3, role: .dim, limit: max(0, room - width - 1))
        }
    }

    private func labels(_ graph: Graph, span: Double, lines: Int) -> [String] {
        guard graph.count > 0 else { return [] }
        let seconds = Double(graph.count) * span
        let time = seconds < 100 ? "\(Int(seconds.rounded())) s" : "\(Int((seconds / 60).rounded())) min"
        let peak = "peak \(ByteFormat.rate(graph.peak)) in \(time)"
        guard lines > 2 else { return [peak] }
        return [ByteFormat.rate(graph.scale)] + Array(repeating: "", count: lines - 2) + [peak]
    }
}
