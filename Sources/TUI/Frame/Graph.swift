import Foundation

/// What a graph is drawn with.
public enum GraphStyle: String, CaseIterable, Hashable, Sendable {
    /// Two values a cell, four steps a line.
    case braille
    /// A value a cell, eight steps a line.
    case block
    /// A value a cell, three steps a line.
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

/// A filled curve in lines of text, the newest value at the right. Pure.
struct Graph {
    /// From the top; cells without anything are blanks, which cost a byte and are not read out.
    let lines: [String]
    /// The value of the topmost step: 1, 2 or 5 of something, so that it changes seldom.
    let scale: Double
    /// The greatest of the values shown.
    let peak: Double
    /// How many values are shown.
    let count: Int

    init(_ values: [Double], width: Int, height: Int, style: GraphStyle) {
        let shown = values.suffix(max(0, width) * style.valuesPerCell).map { $0.isFinite ? max(0, $0) : 0 }
        count = shown.count
        peak = shown.max() ?? 0
        let scale = Self.scale(peak)
        self.scale = scale
        let steps = style.stepsPerLine * max(0, height)
        // Whatever moves is seen, however little.
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

    /// Dots from the bottom (Unicode, chapter 21.1: the eight dots are the bits of the last byte).
    private static func braille(_ left: Int, _ right: Int) -> String {
        let dots =
            [0x40, 0x04, 0x02, 0x01].prefix(left).reduce(0, |)
            | [0x80, 0x20, 0x10, 0x08].prefix(right).reduce(0, |)
        guard dots > 0, let scalar = Unicode.Scalar(0x2800 + dots) else { return " " }
        return String(scalar)
    }

    /// The next of 1, 2, 5, 10, 20, … 1000 bytes, kilobytes, megabytes … that is not less, as rates are written.
    static func scale(_ peak: Double) -> Double {
        guard peak.isFinite, peak > 1 else { return 1 }
        let unit = pow(1024, floor(log(peak) / log(1024)))
        let steps = [1.0, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
        return steps.map { $0 * unit }.first { $0 >= peak } ?? unit * 1024
    }
}
