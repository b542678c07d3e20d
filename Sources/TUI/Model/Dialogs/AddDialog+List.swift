import FerryUploads

/// The Add dialog's list: moving, marking and changing the folder.
extension AddDialog {
    mutating func updateList(_ action: Action, _ around: inout AddSurroundings) -> DialogOutcome {
        switch action {
        case .confirm where !browser.isSeen: break
        case .confirm: return browser.opensOnEnter ? open(&around) : add(&around)
        case .add: return add(&around)
        case .open: return open(&around)
        case .parent: return openParent(&around)
        case .upOrLine where browser.cursor == 0: change(around) { $0.focus = .line }
        case .toLine: change(around) { $0.focus = .line }
        case .upOrLine: change(around) { $0.browser.move(to: $0.browser.cursor - 1) }
        case .toggleHidden: change(around) { $0.browser.toggleHidden() }
        case .mark:
            mark(around) { browser in
                browser.toggleMark()
                browser.move(to: browser.cursor + 1)
            }
        case .markAll: mark(around) { $0.markAll() }
        case .unmarkAll:
            let count = marks.count
            guard count > 0 else { return .refuse("nothing is marked") }
            change(around) { $0.browser.marks = MarkedPaths() }
            return .refuse("\(Strings.count(count, "mark")) cleared")
        default:
            let page = max(1, around.height(of: self) - 1)
            guard let row = action.row(from: browser.cursor, of: browser.rows.count, page: page) else {
                break
            }
            change(around) { $0.browser.move(to: row) }
        }
        return .stay()
    }

    /// Changes the marks, and removes the beginning of a name from the line, so that the list shows the other names.
    private mutating func mark(_ around: AddSurroundings, _ body: (inout FolderBrowser) -> Void) {
        change(around) { add in
            body(&add.browser)
            let typed = TypedPath(add.text)
            guard typed.kind == .name, !add.isFolderOnly else { return }
            add.source = .typed(LineEditor(typed.folder))
            add.completion = .none
            add.browser.endStarted()
        }
    }

    private mutating func open(_ around: inout AddSurroundings) -> DialogOutcome {
        guard let entry = browser.current, entry.kind == .folder, let folder = browser.folder else {
            return .stay()
        }
        if entry == FolderBrowser.parent { return openParent(&around) }
        return go(to: folder.appending(entry.name), aim: nil, &around)
    }

    private mutating func openParent(_ around: inout AddSurroundings) -> DialogOutcome {
        guard let folder = browser.folder, let parent = folder.parent else { return .stay() }
        return go(to: parent, aim: folder.lastComponent, &around)
    }

    private mutating func go(
        to folder: LocalPath, aim: [UInt8]?, _ around: inout AddSurroundings
    ) -> DialogOutcome {
        change(around) { add in
            if add.lineFollows { add.browser.followed = add.text }
            add.browser.go(to: folder, aim: aim)
            add.completion = .none
        }
        return askWhatIsDue(&around)
    }

    mutating func showLeftOut(_ around: AddSurroundings) -> DialogOutcome {
        if problems.isEmpty { return .refuse("nothing is left out") }
        change(around) { $0.focus = .leftOut(top: 0, isFromList: $0.focus == .list) }
        return .stay()
    }

    mutating func scroll(_ action: Action, _ around: AddSurroundings) {
        guard case .leftOut(let top, _) = focus, case .ready(let preview) = preview else { return }
        let page = max(1, around.leftOutHeight(of: self) - 1)
        let row = action.row(from: top, of: preview.selection.problems.count, page: page)
        if let row { scroll(by: row - top, around) }
    }

    /// Scrolls the visible list. The keyboard focus does not change.
    mutating func scroll(by lines: Int, _ around: AddSurroundings) {
        let (height, listHeight) = (around.leftOutHeight(of: self), around.height(of: self))
        change(around) { add in
            guard case .leftOut(let top, let isFromList) = add.focus else {
                add.browser.scroll(by: lines, height: listHeight)
                return
            }
            guard case .ready(let preview) = add.preview else { return }
            let last = preview.selection.problems.count - height
            add.focus = .leftOut(top: max(0, min(last, top + lines)), isFromList: isFromList)
        }
    }

    mutating func click(_ name: [UInt8], _ around: inout AddSurroundings) -> DialogOutcome {
        let isSecond =
            browser.lastClick.map { $0.name == name && around.now - $0.at < Clock.doubleClick } ?? false
        change(around) { [now = around.now] add in
            add.focus = .list
            add.browser.move(to: name)
            add.browser.lastClick = isSecond ? nil : (name, now)
        }
        return isSecond ? update(.confirm, &around) : .stay()
    }

    mutating func clickMark(_ name: [UInt8], _ around: AddSurroundings) {
        mark(around) { browser in
            browser.move(to: name)
            browser.toggleMark()
        }
        change(around) { $0.focus = .list }
    }
}
