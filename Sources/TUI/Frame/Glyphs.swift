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

    func order(isAscending: Bool) -> String {
        isUnicode ? isAscending ? "▲" : "▼" : isAscending ? "^" : "v"
    }

    /// The mark after an upload's state if the server has possibly stored the file twice.
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

    /// Returns the full and the empty part of a progress bar, together `width` cells wide. The parts have different
    /// characters, so that they differ even without colours.
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

    /// Returns one symbol for each part of a multipart upload, with the uploaded parts first, and two spaces at the
    /// end. Returns an empty string if the counts are invalid, or if there are more parts than `width`.
    func parts(_ parts: UploadResource.Parts, width: Int) -> String {
        guard parts.planned > 0, parts.planned <= width, (0...parts.planned).contains(parts.stored) else {
            return ""
        }
        let (held, rest) = (state(.done), state(.queued))
        return String(repeating: held, count: parts.stored)
            + String(repeating: rest, count: parts.planned - parts.stored) + "  "
    }

    struct Box: Sendable {
        var horizontal, vertical, topLeft, topRight, bottomLeft, bottomRight: String
    }

    var box: Box {
        isUnicode
            ? Box(
                horizontal: "─", vertical: "│", topLeft: "┌", topRight: "┐", bottomLeft: "└", bottomRight: "┘"
            )
            : Box(
                horizontal: "-", vertical: "|", topLeft: "+", topRight: "+", bottomLeft: "+", bottomRight: "+"
            )
    }
}
