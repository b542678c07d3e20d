import FerryProtocols
import FerryUploads

/// The handlers of the list's keys.
extension Model {
    mutating func runInList(_ action: Action) -> [Effect] {
        if action.isAboutTargets, layout.sizeClass == .tiny { return refuse("list does not fit") }
        if action.isMovement || action.isAboutTargets, !list.takeOver(action, now: clock.seconds) {
            return refuse("the list scrolled just now; press again")
        }
        if list.update(action) { return [] }
        if isEngineGone, action.needsEngine { return refuse(engineIsMissing) }
        switch action {
        case .filter: dialog = .filter(LineEditor(table.filter?.text ?? ""))
        case .add:
            dialog = .add(adding.newDialog)
            return updateAdd { $0.askWhatIsDue(&$1) } + [.askDestinations]
        case .pause: return togglePause()
        case .pauseAll: return togglePauseOfAll()
        case .retry: return retry()
        case .retryAll:
            guard table.count(.failed) > 0 else { return refuse("nothing has failed") }
            return [.perform(.retry(.failed), .retry)]
        case .remove: return remove()
        case .clearDone:
            guard table.count(.done) > 0 else { return refuse("nothing is done yet") }
            return [.perform(.remove(.done), .remove(name: nil))]
        case .undo: return [.perform(.nextUndo, .undo)]
        case .redo: return [.perform(.redo, .redo)]
        case .order: dialog = .order
        case .orderBy(let key): return sort(by: key)
        case .moveUp: return move(.up)
        case .moveDown: return move(.down)
        case .moveToTop: return move(.top)
        case .moveToBottom: return move(.bottom)
        case .limitBandwidth:
            let limit = status.totalLimit.bandwidth.rate.map { "\(ByteFormat.compact($0))" } ?? ""
            dialog = .prompt(PromptDialog(.bandwidth, offering: limit))
        case .limitConcurrency:
            dialog = .prompt(PromptDialog(.concurrency, offering: String(status.concurrency)))
        case .tryNow: return [.perform(.tryNow, .tryNow)]
        case .toggleMouse: return toggleMouse()
        case .openLog: dialog = .log(LogDialog())
        case .changeGraph: return changeGraph()
        case .copy:
            let targets = list.targets
            let name = targets.count == 1 ? targets.first?.path.name : nil
            if !targets.isEmpty { dialog = .copy(CopyDialog(targets: targets.map(\.id), name: name)) }
        case .details: if list.cursor != nil { dialog = .details(first: 0) }
        case .help: dialog = .help(HelpDialog())
        case .quit: return quit()
        case .detach: return detach()
        case .startEngine: return startEngine()
        case .suspend: return [.suspend]
        case .redraw: return [.redraw]
        default: break
        }
        return []
    }

    /// Pauses the targets. If none can be paused, resumes those that the user has paused.
    private mutating func togglePause() -> [Effect] {
        let targets = list.targets
        let going = targets.filter(\.canBePaused)
        if !going.isEmpty {
            return [.perform(.pause(.ids(going.map(\.id))), .pause(warning: restartWarning(going)))]
        }
        let paused = targets.filter(\.isPausedByUser)
        guard !paused.isEmpty else {
            return refuse(targets.isEmpty ? "nothing here" : "nothing to pause here")
        }
        return [.perform(.resume(.ids(paused.map(\.id))), .resume)]
    }

    private mutating func togglePauseOfAll() -> [Effect] {
        let all = table.uploads(in: .all)
        if all.contains(where: \.canBePaused) {
            let running = table.running.compactMap { table[$0] }.filter(\.canBePaused)
            return [.perform(.pause(.all), .pauseAll(warning: restartWarning(running)))]
        }
        guard all.contains(where: \.isPausedByUser) else { return refuse("nothing to pause here") }
        return [.perform(.resume(.all), .resume)]
    }

    /// Returns a warning if a pause would lose sent bytes, because the protocol of a running upload cannot resume.
    func restartWarning(_ uploads: [Upload]) -> String? {
        let losing = uploads.filter { upload in
            table.running.contains(upload.id) && !upload.canResume
                && (live.progress[upload.id]?.sample.sent ?? 0) > 0
        }
        guard let first = losing.first else { return nil }
        let name = first.target.protocolName.uppercased()
        return losing.count == 1
            ? "\(first.path.name) starts again from 0: \(name) cannot resume"
            : "\(losing.count) of them start again from 0: \(name) cannot resume"
    }

    private mutating func retry() -> [Effect] {
        let targets = list.targets.filter(\.canBeRetried)
        guard !targets.isEmpty else { return refuse("nothing to retry here") }
        return [.perform(.retry(.ids(targets.map(\.id))), .retry)]
    }

    private mutating func remove() -> [Effect] {
        let targets = list.targets
        guard !targets.isEmpty else { return [] }
        let onServer = targets.filter(live.isPartlyAtServer)
        let ids = targets.map(\.id)
        let name = targets.count == 1 ? targets.first?.path.name : nil
        guard !onServer.isEmpty else { return [.perform(.remove(.ids(ids)), .remove(name: name))] }
        dialog = .removal(
            RemovalDialog(
                targets: ids, name: name, onServer: onServer.count,
                bytes: onServer.reduce(0) { $0 + Int128(live.stored($1)) }, openedAt: clock.seconds))
        return []
    }

    private mutating func move(_ direction: QueueMove) -> [Effect] {
        guard table.order == .queue else {
            let phrase = actions.phrase(.order, actions.label(of: .orderBy(.queue), in: .order) ?? "")
            return refuse(
                "rows are sorted by \(table.order.title); moving needs the queue's order"
                    + (phrase.map { ": \($0)" } ?? ""))
        }
        let ids = list.targets.map(\.id)
        return ids.isEmpty ? [] : [.perform(.move(.ids(ids), direction), .move)]
    }

    mutating func sort(by key: RowOrder.Key) -> [Effect] {
        list.sort(by: key)
        let direction = table.order == RowOrder(key) ? "" : ", reversed"
        say(.information, "sorted by \(table.order.title)\(direction)")
        return []
    }

    /// Quits. Asks first if uploads run, unless the engine is gone or the user already chose to wait for them.
    private mutating func quit() -> [Effect] {
        if phase == .finishing || table.running.isEmpty || isEngineGone { return [.finish(.quit)] }
        dialog = .quit(openedAt: clock.seconds, ownership)
        return []
    }

    /// The outcome that leaves the uploads running; nil if no engine can continue them, as in the demo.
    var detachment: ScreenOutcome? {
        switch ownership {
        case .attached: .quit
        case .detachable: isEngineGone ? nil : .detach
        case .own: nil
        }
    }

    var detachRefusal: String {
        ownership == .own ? "the demo cannot be detached" : "the engine has gone; nothing to detach from"
    }

    mutating func detach() -> [Effect] { detachment.map { [.finish($0)] } ?? refuse(detachRefusal) }

    mutating func startEngine() -> [Effect] {
        guard isEngineGone else { return refuse("the engine is running; nothing to start") }
        guard ownership == .attached else { return refuse(engineIsMissing) }
        say(.information, "starting another engine")
        return [.startEngine]
    }

    var engineIsMissing: String {
        guard ownership == .attached else {
            return "the engine ended with its screen; `ferry` starts another"
        }
        return "no engine runs" + (actions.phrase(.startEngine, "starts one").map { "; \($0)" } ?? "")
    }
}

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
