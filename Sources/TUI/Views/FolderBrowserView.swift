import FerryProtocols
import FerryTransfer
import FerryUploads

/// The visible rows of a folder. No text is made for other rows, so a large folder costs no more than a small one.
struct FolderBrowserView {
    let browser: FolderBrowser
    let isActive: Bool
    let width: Int
    let height: Int
    let appearance: Appearance

    var header: DialogBox.Line {
        let marks = browser.marks.isEmpty ? SafeText() : safe(" " + Self.count(browser) + " ")
        let path = appearance.truncatedAtStart(
            folder.isEmpty ? " " : " " + folder + " ", to: max(0, width - marks.width - 4))
        let gap = max(0, width - 2 - marks.width - path.width)
        return [
            .init(line(1), .barRest), .init(path, .header), .init(line(gap), .barRest), .init(marks, .key),
            .init(line(1), .barRest),
        ]
    }

    var rule: DialogBox.Line { [.init(line(width), .barRest)] }

    static func count(_ browser: FolderBrowser) -> String {
        let here = browser.folder.map { browser.marks.count(in: $0) } ?? 0
        let elsewhere = browser.marks.count - here
        let rest = elsewhere > 0 ? ", \(Strings.count(elsewhere)) elsewhere" : ""
        return "\(Strings.count(browser.marks.count)) marked\(rest)"
    }

    var cursorRow: Int { max(0, min(height - 1, browser.cursor - top)) }

    var lines: [DialogBox.Line] {
        var lines = (top..<max(top, min(browser.count, top + height))).compactMap { index in
            browser[index].map { row($0, isUnderCursor: index == browser.cursor) }
        }
        if let message, lines.count < height { lines.append([.init(safe("   ")), message]) }
        return lines + Array(repeating: [], count: max(0, height - lines.count))
    }

    private var top: Int { max(0, min(max(browser.top, browser.cursor - height + 1), browser.cursor)) }

    private var folder: String {
        if let text = browser.text { return text }
        switch (browser.folder, browser.reference) {
        case (let path?, _), (nil, .folder(let path)): return path.text + "/"
        case (nil, .line(let text)): return text
        }
    }

    private var message: DialogBox.Span? {
        switch browser.look {
        case .due, .asked: return .init(safe("looking"), .dim)
        case .seen(let folder):
            switch folder.contents {
            case .unreadable(let reason): return .init(safe("cannot be read: " + reason), .warning)
            case .entries(let entries):
                guard browser.shownCount == 0 else { return nil }
                if !browser.started.isEmpty { return .init(safe("no match"), .dim) }
                return .init(
                    safe(entries.isEmpty ? "empty" : "\(Strings.count(entries.count)) hidden"), .dim)
            }
        }
    }

    private func row(_ row: FolderBrowser.Row, isUnderCursor: Bool) -> DialogBox.Line {
        let isMarked = browser.isMarked(row)
        let isSelected = isUnderCursor && isActive
        let signs = (isSelected ? appearance.glyphs.cursor : " ") + (isMarked ? "*" : " ") + " "
        let amount = safe(amount(row))
        let room = max(1, width - 4 - amount.width)
        let name = self.name(row).fitted(to: room, ellipsis: appearance.glyphs.ellipsis)
        let gap = String(repeating: " ", count: max(0, width - 3 - name.width - amount.width))
        let target = Region.Target.entry(row.name)
        return [
            .init(SafeText(signs), isSelected ? .selection : .key, target: .entryMark(row.name)),
            .init(name, isSelected ? .selection : role(row, isMarked), target: target),
            .init(safe(gap), isSelected ? .selection : .dialog, target: target),
            .init(amount, isSelected ? .selection : .dim, target: target),
        ]
    }

    private func name(_ row: FolderBrowser.Row) -> SafeText {
        let text = String(decoding: row.name, as: UTF8.self)
        switch row {
        case .parent: return safe("../")
        case .entry(let entry): return safe(entry.kind == .folder ? text + "/" : text)
        }
    }

    private func amount(_ row: FolderBrowser.Row) -> String {
        guard case .entry(let entry) = row else { return "" }
        switch entry.kind {
        case .folder: return ""
        case .file(let size): return ByteFormat.compact(size)
        case .other: return "no file"
        }
    }

    private func role(_ row: FolderBrowser.Row, _ isMarked: Bool) -> Role {
        if isMarked { return .key }
        guard case .entry(let entry) = row else { return .title }
        switch entry.kind {
        case .folder: return .title
        case .file: return .dialog
        case .other: return .dim
        }
    }

    private func line(_ count: Int) -> SafeText {
        SafeText(own: String(repeating: appearance.glyphs.box.horizontal, count: max(0, count)))
    }

    private func safe(_ text: String) -> SafeText { appearance.safe(text) }
}
