import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation

extension Model {
    mutating func log(_ level: LogEntry.Level, _ text: String, upload: Upload.ID? = nil) {
        log.add(level, text, date: clock.date, upload: upload)
    }

    /// Writes down what a change means for a person.
    mutating func logChange(from before: Upload?, to upload: Upload) {
        guard let before, let kind = News.Kind(from: before, to: upload, isOffline: isOffline),
            let level = kind.level
        else { return }
        log(level, news(kind, upload).named, upload: upload.id)
    }

    func news(_ kind: News.Kind, _ upload: Upload) -> News {
        News(
            kind: kind, upload: upload, reached: max(upload.confirmed, reached[upload.id] ?? 0), clock: clock)
    }

    /// Writes down what is true of the queue as a whole from now on.
    mutating func logChange(to status: EngineStatus) {
        for change in loggedStatus.take(status) {
            let sentence = change.sentence(at: clock.date, in: appearance.zone)
            switch change {
            // What the first line says meanwhile would deny it.
            case .online where !status.awayHosts.isEmpty: log(.information, "the network is back")
            case .online, .storage(.saved, _), .contact(.here), .limit: log(.information, sentence)
            case .offline, .storage, .notice, .asked, .contact(.lost), .contact(.silent):
                log(.warning, sentence)
            case .happened(let dated):
                log.add(dated.notice.kind == .warning ? .warning : .information, sentence, date: dated.date)
            }
        }
    }
}

extension Model {
    /// Says something that a person should know and can do something about, and writes it down.
    mutating func hint(_ text: String) {
        say(.warning, text)
        log(.warning, text)
    }
}

extension News.Kind {
    /// How much it matters to who reads the log; nil for what the list shows and what people did themselves, which the
    /// answers to their orders tell.
    fileprivate var level: LogEntry.Level? {
        switch self {
        case .added, .resumed, .queuedAgain, .began, .paused, .offline, .removed: nil
        case .wentOn, .done: .information
        case .waits, .held: .warning
        case .failed: .error
        }
    }
}

extension Model {
    mutating func run(_ action: Action, in dialog: LogDialog) -> [Effect] {
        var shown = dialog
        let entries = shown.entries(of: log)
        let page = max(1, LogDialogView.height(size))
        switch action {
        case .up: shown.move(by: -1, in: entries)
        case .down: shown.move(by: 1, in: entries)
        case .pageUp: shown.move(by: -page, in: entries)
        case .pageDown: shown.move(by: page, in: entries)
        case .top: shown.move(to: 0, in: entries)
        case .bottom: shown.position = .following
        case .raiseLevel: shown.raiseLevel()
        case .filter: shown.search = .typing(LineEditor(shown.search.text))
        case .confirm:
            guard case .kept = shown.search else {
                shown.search = .kept(shown.search.text)
                break
            }
            return jump(to: shown.index(in: entries).flatMap { entries[$0].upload })
        case .escape where !shown.search.text.isEmpty: shown.search = .kept("")
        default:
            self.dialog = nil
            return []
        }
        self.dialog = .log(shown)
        return []
    }

    mutating func paste(_ text: String, into dialog: LogDialog) {
        guard case .typing(var line) = dialog.search else { return }
        line.insert(text.filter { !$0.isNewline }.prefix(100))
        var shown = dialog
        shown.search = .typing(line)
        self.dialog = .log(shown)
    }

    mutating func type(_ key: Key, in dialog: LogDialog) {
        guard case .typing(var line) = dialog.search, line.handle(key) else { return }
        var shown = dialog
        shown.search = .typing(line)
        self.dialog = .log(shown)
    }

    /// To the upload in the list: in the tab that has it, without a filter that hides it.
    private mutating func jump(to id: Upload.ID?) -> [Effect] {
        guard let id else { return refuse("this is not about an upload") }
        guard let place = table.place(of: id) else { return refuse("it is not in the queue any more") }
        dialog = nil
        if rows.index(of: place) == nil { show(.all) }
        if rows.index(of: place) == nil { table.arrange(nil, by: table.order, in: tab) }
        following = .nothing
        cursor = place
        keepCursorInView()
        return []
    }
}
