import FerryProtocols

/// The symbols of the screen: in Unicode, or in ASCII if the font or the locale lacks them.
struct Glyphs: Sendable {
    var isUnicode: Bool

    var ellipsis: String { isUnicode ? "…" : "~" }
    var cursor: String { isUnicode ? "▸" : ">" }
    var online: String { isUnicode ? "●" : "*" }
    var offline: String { isUnicode ? "○" : "o" }
    var slow: String { isUnicode ? "◐" : "%" }
    var up: String { isUnicode ? "↑" : "^" }

    func order(isAscending: Bool) -> String { isUnicode ? isAscending ? "▲" : "▼" : isAscending ? "^" : "v" }

    /// The mark of an upload that the server possibly has twice.
    var twice: String { isUnicode ? "×2" : "x2" }

    func state(_ kind: StateKind) -> String {
        switch kind {
        case .queued: isUnicode ? "·" : "."
        case .running: isUnicode ? "▲" : "^"
        case .waiting: isUnicode ? "↻" : "r"
        case .paused: isUnicode ? "‖" : "="
        case .offline: isUnicode ? "○" : "o"
        case .held: "?"
        case .done: isUnicode ? "✓" : "+"
        case .failed: isUnicode ? "✗" : "!"
        }
    }

    /// Returns the full and the empty part of a progress bar, different even without colours.
    func bar(_ fraction: Double, width: Int) -> (full: String, rest: String) {
        let share = fraction.isFinite ? max(0, min(1, fraction)) : 0
        guard isUnicode else {
            let full = Int(share * Double(width))
            return (String(repeating: "#", count: full), String(repeating: "-", count: width - full))
        }
        let halves = Int(share * Double(width * 2))
        let full = String(repeating: "━", count: halves / 2) + (halves % 2 == 1 ? "╸" : "")
        return (full, String(repeating: "─", count: width - halves / 2 - halves % 2))
    }

    /// Returns a symbol for each part, the uploaded ones first, and two spaces; empty if they do not fit.
    func parts(_ parts: UploadResource.Parts, width: Int) -> String {
        guard parts.planned > 0, parts.planned <= width, (0...parts.planned).contains(parts.stored) else {
            return ""
        }
        let (held, rest) = (state(.done), state(.queued))
        return String(repeating: held, count: parts.stored)
            + String(repeating: rest, count: parts.planned - parts.stored) + "  "
    }

    typealias Box = (
        horizontal: String, vertical: String, topLeft: String, topRight: String, bottomLeft: String,
        bottomRight: String
    )

    var box: Box { isUnicode ? ("─", "│", "┌", "┐", "└", "┘") : ("-", "|", "+", "+", "+", "+") }
}
