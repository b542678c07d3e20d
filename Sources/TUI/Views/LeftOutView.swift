import FerryUploads

/// The dialog that lists the paths that the search for files left out, with the reasons.
struct LeftOutView {
    let add: AddDialog
    let size: Size
    let appearance: Appearance

    var height: Int { max(1, size.rows - (size.rows >= 18 ? 6 : 3)) }

    var box: DialogBox {
        let inside = max(1, min(size.columns - 4, 100))
        let keys = DialogBox.keyRows(.leftOut, appearance: appearance, width: inside, atMost: 1)
        guard case .leftOut(let first, _) = add.focus, case .ready(let preview) = add.preview else {
            return DialogBox(
                title: appearance.safe("Left out"), body: [[.init(appearance.safe("looking"), .dim)]],
                keys: keys, width: inside)
        }
        let problems = preview.selection.problems
        let top = max(0, min(first, problems.count - height))
        let shown = problems[top..<min(problems.count, top + height)]
        let body = shown.map { Self.line($0, width: inside, appearance: appearance) }
        let range = "\(Strings.count(top + 1)) to \(Strings.count(top + shown.count))"
        return DialogBox(
            title: appearance.safe("Left out: \(range) of \(Strings.count(problems.count))"),
            body: DialogBox.filled(body, to: height), keys: keys, width: inside)
    }

    /// Returns a line with a path and the reason. Paths often differ only at the end, which is kept.
    static func line(
        _ problem: FileSelection.Problem, width: Int, appearance: Appearance
    ) -> DialogBox.Line {
        let reason = appearance.safe(problem.reason)
        let room = max(1, width - 4 - min(reason.width, width / 2))
        let name = appearance.truncatedAtStart(problem.path.text, to: room)
        return [
            .init(appearance.safe("  ")), .init(name, .dim), .init(appearance.safe(": "), .dim),
            .init(reason, .warning),
        ]
    }
}
