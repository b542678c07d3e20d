import FerryTransfer
import FerryUploads

/// The list of the Add dialog: moving, marking, going to other folders.
extension Model {
    mutating func runInFolder(_ action: Action, _ dialog: AddDialog) -> [Effect] {
        let page = max(1, height(of: dialog) - 1)
        switch action {
        case .confirm where !dialog.browser.isSeen: break
        case .confirm: return dialog.browser.opensOnEnter ? open(dialog) : add(dialog)
        case .add: return add(dialog)
        case .open: return open(dialog)
        case .parent: return openParent(dialog)
        case .upOrLine where dialog.browser.cursor == 0: change(dialog) { $0.focus = .line }
        case .toLine: change(dialog) { $0.focus = .line }
        case .up, .upOrLine: change(dialog) { $0.browser.move(by: -1) }
        case .down: change(dialog) { $0.browser.move(by: 1) }
        case .pageUp: change(dialog) { $0.browser.move(by: -page) }
        case .pageDown: change(dialog) { $0.browser.move(by: page) }
        case .top: change(dialog) { $0.browser.move(to: 0) }
        case .bottom: change(dialog) { $0.browser.move(to: .max) }
        case .toggleHidden: change(dialog) { $0.browser.toggleHidden() }
        case .mark:
            mark(dialog) { browser in
                browser.toggleMark()
                browser.move(by: 1)
            }
        case .markAll: mark(dialog) { $0.markAll() }
        case .unmarkAll:
            let count = dialog.marks.count
            guard count > 0 else { return refuse("nothing is marked") }
            change(dialog) { $0.browser.marks = MarkedPaths() }
            return refuse("\(Wording.count(count, "mark")) cleared")
        default: break
        }
        return []
    }

    /// What is marked is chosen by hand: the beginning of a name in the line has done its work.
    private mutating func mark(_ dialog: AddDialog, _ body: (inout FolderBrowser) -> Void) {
        change(dialog) { add in
            body(&add.browser)
            let typed = TypedPlace(add.text)
            guard typed.kind == .name, !add.isPlaceOnly else { return }
            add.source = .typed(LineEditor(typed.folder))
            add.completion = nil
            add.browser.endStarted()
        }
    }

    private mutating func open(_ dialog: AddDialog) -> [Effect] {
        switch dialog.browser.current {
        case .parent: return openParent(dialog)
        case .entry(let entry):
            guard entry.kind == .folder, let folder = dialog.browser.folder else { return [] }
            return go(to: folder.appending(entry.name), aim: nil, dialog)
        case nil: return []
        }
    }

    private mutating func openParent(_ dialog: AddDialog) -> [Effect] {
        guard let folder = dialog.browser.folder, let parent = folder.parent else { return [] }
        return go(to: parent, aim: folder.lastComponent, dialog)
    }

    private mutating func go(to folder: LocalPath, aim: [UInt8]?, _ dialog: AddDialog) -> [Effect] {
        change(dialog) { add in
            if add.lineFollows { add.browser.followed = add.text }
            add.browser.go(to: folder, aim: aim)
            add.completion = nil
        }
        return askWhatIsDue()
    }

    mutating func showLeftOut(_ dialog: AddDialog) -> [Effect] {
        guard case .ready(let preview) = dialog.preview, !preview.selection.problems.isEmpty else {
            return refuse("nothing is left out")
        }
        change(dialog) { $0.focus = .leftOut(top: 0, isFromList: dialog.focus == .list) }
        return []
    }

    mutating func scroll(_ dialog: AddDialog, _ action: Action) {
        let page = max(1, height(ofLeftOutIn: dialog) - 1)
        switch action {
        case .up: scroll(dialog, by: -1)
        case .down: scroll(dialog, by: 1)
        case .pageUp: scroll(dialog, by: -page)
        case .pageDown: scroll(dialog, by: page)
        case .top: scroll(dialog, by: -.max)
        case .bottom: scroll(dialog, by: .max)
        default: break
        }
    }

    /// The wheel goes over the list without taking the keys away from the line.
    mutating func scroll(_ dialog: AddDialog, by lines: Int) {
        let (height, listHeight) = (height(ofLeftOutIn: dialog), height(of: dialog))
        change(dialog) { add in
            guard case .leftOut(let top, let isFromList) = add.focus else {
                add.browser.scroll(by: lines, height: listHeight)
                return
            }
            guard case .ready(let preview) = add.preview else { return }
            let last = preview.selection.problems.count - height
            let (sum, isOver) = top.addingReportingOverflow(lines)
            let wanted = isOver ? (lines > 0 ? Int.max : 0) : sum
            add.focus = .leftOut(top: max(0, min(last, wanted)), isFromList: isFromList)
        }
    }

    private func height(ofLeftOutIn dialog: AddDialog) -> Int {
        LeftOutView(add: dialog, size: size, appearance: appearance).height
    }

    mutating func click(_ name: [UInt8]) -> [Effect] {
        guard case .add(let dialog) = dialog else { return [] }
        let last = dialog.browser.lastClick
        let isSecond = last.map { $0.name == name && clock.seconds - $0.at < Self.doubleClick } ?? false
        let now = clock.seconds
        change(dialog) { add in
            add.focus = .list
            add.browser.move(to: name)
            add.browser.lastClick = isSecond ? nil : (name, now)
        }
        guard isSecond, case .add(let clicked) = self.dialog else { return [] }
        return run(.confirm, in: clicked)
    }

    mutating func toggleMark(_ name: [UInt8]) {
        guard case .add(let dialog) = dialog else { return }
        mark(dialog) { browser in
            browser.move(to: name)
            browser.toggleMark()
        }
        guard case .add(let marked) = self.dialog else { return }
        change(marked) { $0.focus = .list }
    }
}

extension LocalPath {
    /// The folder it is in; nil for the root.
    fileprivate var parent: LocalPath? {
        guard bytes != [0x2F], let slash = bytes.lastIndex(of: 0x2F) else { return nil }
        return LocalPath(bytes: slash == 0 ? [0x2F] : Array(bytes[..<slash]))
    }
}
