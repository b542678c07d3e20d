import FerryProtocols
import FerryTransfer
import FerryUploads

extension Model {
    /// Puts the queue's answer into words.
    mutating func take(_ reply: QueueReply, to request: Request) -> [Effect] {
        let before = toast
        defer { if let toast, toast != before { log(toast) } }
        switch reply {
        case .refused(let failure):
            if request == .stopWhenIdle { isFinishing = false }
            // To have nothing to undo is no error.
            let isNothing = [.undo, .redo].contains(request) && failure.category == .permanent
            say(
                isNothing ? .information : .failure,
                [failure.summary, failure.hint].compactMap { $0 }.joined(separator: "; "))
        case .changed(let ids), .addedPaused(let ids): say(ids, request)
        case .uploads(let uploads): say(uploads.map(\.id), request)
        case .reversed(let change, let ids): say(change, ids, isUndo: request == .undo)
        case .undoable(let offer): return take(offer)
        case .limits: break  // the status tells them
        }
        return []
    }

    private mutating func log(_ toast: Toast) {
        let level: LogEntry.Level =
            switch toast.kind {
            case .information: .information
            case .warning: .warning
            case .failure: .error
            }
        log(level, toast.text)
    }

    private mutating func say(_ ids: [Upload.ID], _ request: Request) {
        switch request {
        case .pause, .pauseAll, .resume, .retry, .remove, .move:
            // Somebody else was faster, or it is at the end of the list already.
            if ids.isEmpty {
                say(.information, "nothing to change")
                return
            }
        case .add, .tryNow, .limitBandwidth, .limitConcurrency, .stopWhenIdle, .undo, .redo,
            .startEngine:
            break
        }
        switch request {
        case .add(let files, let skipped):
            let known = files - ids.count
            let rest = [
                known > 0 ? "\(Wording.count(known)) left out: in the queue already" : nil,
                skipped > 0 ? "\(Wording.count(skipped)) skipped" : nil,
            ].compactMap(\.self).map { ", \($0)" }.joined()
            say(.information, "added \(Wording.count(ids.count, "upload"))\(rest)")
        case .pause(let warning): sayPaused(ids, warning, undoneBy: .pause)
        case .pauseAll(let warning): sayPaused(ids, warning, undoneBy: .pauseAll)
        case .resume: say(.information, "\(what(ids)) \(ids.count == 1 ? "goes" : "go") on")
        case .retry: say(.information, "trying \(what(ids)) again")
        case .remove(let name):
            marks.subtract(ids)
            let removed = "removed \(ids.count == 1 ? name ?? what(ids) : what(ids))"
            say(.information, phrases(removed, actions.phrase(.undo, "puts back")))
        case .move: break  // the list shows it
        case .tryNow: say(.information, "trying now")
        case .limitBandwidth(let bandwidth):
            say(.information, BandwidthOrder.told(bandwidth, of: .total))
        case .limitConcurrency(let number): say(.information, "\(Wording.count(number, "upload")) at once")
        case .stopWhenIdle:
            let count = Wording.count(table.running.count, "upload")
            say(
                .information, phrases("finishing \(count), then quitting", actions.phrase(.quit, "quits now"))
            )
        case .startEngine: say(.information, "the engine is started again")
        case .undo, .redo: break
        }
    }

    private mutating func sayPaused(_ ids: [Upload.ID], _ warning: String?, undoneBy action: Action) {
        if let warning {
            say(.warning, "paused \(what(ids)); \(warning)")
        } else {
            say(.information, phrases("paused \(what(ids))", actions.phrase(action, "goes on")))
        }
    }

    private mutating func say(_ change: QueueChangeKind, _ ids: [Upload.ID], isUndo: Bool) {
        if change == .putBack { goTo(ids) }
        let text = change.told(
            of: what(ids), count: ids.count, at: clock.date, in: appearance.zone)
        let undone = phrases("undone: \(text)", actions.phrase(.redo, "does it again"))
        say(.information, isUndo ? undone : "done again: \(text)")
    }

    /// The first of them that is among the rows is what people look for now.
    private mutating func goTo(_ ids: [Upload.ID]) {
        guard showsList else { return }
        let indices = ids.compactMap { table.place(of: $0) }.compactMap { rows.index(of: $0) }
        guard let first = indices.min() else { return }
        following = .nothing
        cursor = rows[first]
        keepCursorInView()
    }

    private func phrases(_ phrases: String?...) -> String {
        phrases.compactMap(\.self).joined(separator: "; ")
    }

    /// The one by name, more by number.
    func what(_ ids: [Upload.ID]) -> String {
        if ids.count == 1, let id = ids.first, let upload = table[id] { return upload.path.name }
        return Wording.count(ids.count, "upload")
    }
}
