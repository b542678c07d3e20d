import FerryFiles

/// The characters that draw a graph.
package enum GraphStyle: String, CaseIterable, Hashable, Sendable {
    /// Braille dots: two values per cell, four height steps per line.
    case braille
    /// Block characters: one value per cell, eight height steps per line.
    case block
    /// ASCII characters: one value per cell, three height steps per line.
    case ascii

    var valuesPerCell: Int { self == .braille ? 2 : 1 }

    fileprivate var stepsPerLine: Int {
        switch self {
        case .braille: 4
        case .block: 8
        case .ascii: 3
        }
    }
}

/// A filled curve in lines of text, with the newest value on the right.
struct Graph {
    /// The lines from top to bottom. Screen readers skip the spaces in them.
    let lines: [String]
    /// The value at the top: the peak, rounded up to 1, 2, 5, 10, 20, … times a power of 1024.
    let scale: Double
    /// The greatest of the values shown and `least`.
    let peak: Double
    let count: Int

    init(_ values: [Double], width: Int, height: Int, style: GraphStyle, least: Double = 0) {
        let shown = values.suffix(max(0, width) * style.valuesPerCell).map { $0.isFinite ? max(0, $0) : 0 }
        count = shown.count
        peak = max(shown.max() ?? 0, least.isFinite ? least : 0)
        let scale = Self.scale(peak)
        self.scale = scale
        let steps = style.stepsPerLine * max(0, height)
        // A value above 0 has at least one step, so that every transfer is visible.
        let heights = shown.map {
            $0 > 0 ? max(1, min(steps, Int(($0 / scale * Double(steps)).rounded()))) : 0
        }
        let blanks = Array(repeating: 0, count: max(0, width * style.valuesPerCell - heights.count))
        let columns = blanks + heights
        lines = (0..<max(0, height)).map { line in
            let base = (height - 1 - line) * style.stepsPerLine
            let filled = columns.map { max(0, min(style.stepsPerLine, $0 - base)) }
            return stride(from: 0, to: filled.count, by: style.valuesPerCell).map { index in
                Self.cell(filled[index..<min(index + style.valuesPerCell, filled.count)], style)
            }.joined()
        }
    }

    private static func cell(_ steps: ArraySlice<Int>, _ style: GraphStyle) -> String {
        switch style {
        case .ascii: [" ", ".", ":", "#"][min(3, steps.first ?? 0)]
        case .block: [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"][min(8, steps.first ?? 0)]
        case .braille: braille(steps.first ?? 0, steps.dropFirst().first ?? 0)
        }
    }

    /// Returns the braille character with dots filled from the bottom. Each dot is a bit (Unicode, chapter 21.1).
    private static func braille(_ left: Int, _ right: Int) -> String {
        let dots =
            [0x40, 0x04, 0x02, 0x01].prefix(left).reduce(0, |)
            | [0x80, 0x20, 0x10, 0x08].prefix(right).reduce(0, |)
        guard dots > 0, let scalar = Unicode.Scalar(0x2800 + dots) else { return " " }
        return String(scalar)
    }

    static func scale(_ peak: Double) -> Double {
        guard peak.isFinite, peak > 1 else { return 1 }
        let unit = 1024.0.raised(to: (peak.logarithm / 1024.0.logarithm).rounded(.down))
        let steps = [1.0, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
        return steps.map { $0 * unit }.first { $0 >= peak } ?? unit * 1024
    }
}
