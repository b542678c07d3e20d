import FerryProtocols
import FerryUploads

/// The texts that the screen shows for replies of the queue.
extension Model {
    typealias ReplyWords = (kind: LogEntry.Level, text: String)

    /// Returns the text; nil if the screen already shows what the reply reports.
    func words(_ reply: QueueReply, to request: Request) -> ReplyWords? {
        switch reply {
        case .refused(let failure):
            // An empty undo stack is no error.
            let isNothing = [.undo, .redo].contains(request) && failure.category == .permanent
            return (isNothing ? .information : .error, failure.sentence)
        case .changed(let ids), .addedPaused(let ids): return words(ids, request)
        case .uploads(let uploads): return words(uploads.map(\.id), request)
        case .reversed(let change, let ids):
            let text = change.sentence(of: what(ids), at: clock.date, in: appearance.zone)
            let undone = phrases("undone: \(text)", actions.phrase(.redo, "redoes it"))
            return (.information, request == .undo ? undone : "redone: \(text)")
        case .undoable, .limits: return nil
        }
    }

    private func words(_ ids: [Upload.ID], _ request: Request) -> ReplyWords? {
        let text: String
        switch request {
        case .pause, .pauseAll, .resume, .retry, .remove, .move:
            // Another command was faster, or the upload is already where the command would move it.
            if ids.isEmpty { return (.information, "nothing to change") }
        default: break
        }
        switch request {
        case .add(let files, let skipped):
            let known = files - ids.count
            let rest = [
                known > 0 ? "\(Strings.count(known)) left out: already queued or done" : nil,
                skipped > 0 ? "\(Strings.count(skipped)) skipped" : nil,
            ].compactMap(\.self).map { ", \($0)" }.joined()
            text = "added \(Strings.count(ids.count, "upload"))\(rest)"
        case .pause(let warning): return paused(ids, warning, undoneBy: .pause)
        case .pauseAll(let warning): return paused(ids, warning, undoneBy: .pauseAll)
        case .resume: text = "resumed \(what(ids))"
        case .retry: text = "retrying \(what(ids))"
        case .remove(let name):
            let removed = "removed \(ids.count == 1 ? name ?? what(ids) : what(ids))"
            text = phrases(removed, actions.phrase(.undo, "undoes"))
        case .tryNow: text = "trying now"
        case .limitBandwidth(let bandwidth): text = LimitScope.total.confirmation(of: bandwidth)
        case .limitConcurrency(let number): text = "\(Strings.count(number, "upload")) at once"
        case .stopWhenIdle:
            let count = Strings.count(table.running.count, "upload")
            text = phrases("finishing \(count), then quitting", actions.phrase(.quit, "quits now"))
        case .startEngine: text = "the engine is started again"
        // The list shows the change, or another reply describes it.
        case .move, .undo, .redo: return nil
        }
        return (.information, text)
    }

    private func paused(_ ids: [Upload.ID], _ warning: String?, undoneBy action: Action) -> ReplyWords {
        if let warning { return (.warning, "paused \(what(ids)); \(warning)") }
        return (.information, phrases("paused \(what(ids))", actions.phrase(action, "resumes")))
    }

    private func phrases(_ phrases: String?...) -> String { Strings.joined(phrases, by: "; ") }

    private func what(_ ids: [Upload.ID]) -> String { table.phrase(for: ids) }
}

extension UploadTable {
    /// Returns the name of a single upload that the table has, else the number: `3 uploads`.
    func phrase(for ids: [Upload.ID]) -> String {
        if ids.count == 1, let id = ids.first, let upload = self[id] { return upload.path.name }
        return Strings.count(ids.count, "upload")
    }
}
