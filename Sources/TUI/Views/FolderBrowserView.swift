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
        var lines = browser.rows.indices.dropFirst(top).prefix(height).map { index in
            row(browser.rows[index], isUnderCursor: index == browser.cursor)
        }
        if let message, lines.count < height { lines.append([.init(safe("   ")), message]) }
        return DialogBox.filled(lines, to: height)
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
        guard case .seen(let folder) = browser.look else { return .init(safe("looking"), .dim) }
        switch folder.contents {
        case .unreadable(let reason): return .init(safe("cannot be read: " + reason), .warning)
        case .entries(let entries):
            guard !browser.showsNames else { return nil }
            if !browser.started.isEmpty { return .init(safe("no match"), .dim) }
            return .init(safe(entries.isEmpty ? "empty" : "\(Strings.count(entries.count)) hidden"), .dim)
        }
    }

    private func row(_ entry: FolderBrowser.Entry, isUnderCursor: Bool) -> DialogBox.Line {
        let isMarked = browser.isMarked(entry)
        let isSelected = isUnderCursor && isActive
        let signs = (isSelected ? appearance.glyphs.cursor : " ") + (isMarked ? "*" : " ") + " "
        let (slash, amount, role): (String, String, Role) =
            switch entry.kind {
            case .folder: ("/", "", .title)
            case .file(let size): ("", ByteFormat.compact(size), .dialog)
            case .other: ("", "no file", .dim)
            }
        let text = String(decoding: entry.name, as: UTF8.self) + slash
        let name = appearance.fitted(text, to: max(1, width - 4 - amount.count))
        let gap = String(repeating: " ", count: max(0, width - 3 - name.width - amount.count))
        let target = Region.Target.entry(entry.name)
        return [
            .init(SafeText(signs), isSelected ? .selection : .key, target: .entryMark(entry.name)),
            .init(name, isSelected ? .selection : isMarked ? .key : role, target: target),
            .init(safe(gap), isSelected ? .selection : .dialog, target: target),
            .init(safe(amount), isSelected ? .selection : .dim, target: target),
        ]
    }

    private func line(_ count: Int) -> SafeText {
        SafeText(own: String(repeating: appearance.glyphs.box.horizontal, count: max(0, count)))
    }

    private func safe(_ text: String) -> SafeText { appearance.safe(text) }
}
