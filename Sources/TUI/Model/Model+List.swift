import FerryProtocols
import FerryTransfer
import FerryUploads

extension Model {
    mutating func runInList(_ action: Action) -> [Effect] {
        if action.isMovement || action.isAboutTargets, !takeOver(action) {
            return refuse("the list scrolled just now; press again")
        }
        let page = max(1, layout.list.count)
        switch action {
        case .up: moveCursor(by: -1)
        case .down: moveCursor(by: 1)
        case .pageUp: moveCursor(by: -page)
        case .pageDown: moveCursor(by: page)
        case .halfPageUp: moveCursor(by: -max(1, page / 2))
        case .halfPageDown: moveCursor(by: max(1, page / 2))
        case .top: moveCursor(to: 0)
        case .bottom: moveCursor(to: rows.count - 1)
        case .show(let tab): show(tab)
        case .mark:
            guard let cursor else { return [] }
            guard range == nil else {
                range = nil
                return []
            }
            marks.formSymmetricDifference([cursor.id])
            moveCursor(by: 1)
        case .markRange: toggleRange()
        case .invertMarks: marks.formSymmetricDifference(rows.map(\.id))
        case .markAll: marks.formUnion(rows.map(\.id))
        case .filter:
            table.prepareToFilter()
            dialog = .filter(LineEditor(table.filter?.text ?? ""))
        case .escape: escape()
        case .add: return openAddDialog()
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
        case .orderBy(let key): arrange(by: key)
        case .moveUp: return move(.up)
        case .moveDown: return move(.down)
        case .moveToTop: return move(.top)
        case .moveToBottom: return move(.bottom)
        case .limitBandwidth:
            let limit = status.totalLimit.bandwidth.rate.map { "\(ByteFormat.compact($0))" } ?? ""
            dialog = .prompt(PromptDialog(subject: .bandwidth, entry: .offered(limit)))
        case .limitConcurrency:
            dialog = .prompt(
                PromptDialog(subject: .concurrency, entry: .offered(String(status.concurrency))))
        case .tryNow: return [.perform(.tryNow, .tryNow)]
        case .toggleMouse:
            hasMouse.toggle()
            say(.information, hasMouse ? "mouse on; Shift-drag selects text" : "mouse off; drag selects text")
            return [.setMouse(hasMouse)]
        case .openLog: dialog = .log(LogDialog())
        case .changeGraph:
            graph = graph.next
            keepCursorInView()
        case .copy: openCopyDialog()
        case .details: if cursor != nil { dialog = .details(first: 0) }
        case .help: dialog = .help(HelpDialog())
        case .quit: return quit()
        case .detach: return detach()
        case .startEngine: return startEngine()
        case .suspend: return [.suspend]
        case .redraw: return [.redraw]
        case .confirm, .cancel, .previous, .next, .columnBack, .columnOn, .raiseLevel, .complete,
            .nextDestination, .browse, .toLine, .upOrLine, .open, .parent, .toggleHidden, .unmarkAll,
            .leftOut,
            .copyPath, .copyAddress, .copyError, .removeNow, .quitNow, .quitWhenIdle, .stopEngine:
            break
        }
        return []
    }

    mutating func refuse(_ why: String) -> [Effect] {
        say(.information, why)
        return []
    }

    /// Pauses what can be paused; if all targets are paused already, lets them go on.
    private mutating func togglePause() -> [Effect] {
        let targets = targets
        let going = targets.filter(\.canBePaused)
        if !going.isEmpty {
            return [.perform(.pause(.ids(going.map(\.id))), .pause(warning: restartWarning(going)))]
        }
        let paused = targets.filter(\.isPausedByUser)
        guard !paused.isEmpty else {
            return refuse(targets.isEmpty ? "nothing here" : "nothing here that could be paused")
        }
        return [.perform(.resume(.ids(paused.map(\.id))), .resume)]
    }

    private mutating func togglePauseOfAll() -> [Effect] {
        let all = table.uploads(in: .all)
        if all.contains(where: \.canBePaused) {
            let running = table.running.compactMap { table[$0] }.filter(\.canBePaused)
            return [.perform(.pause(.all), .pauseAll(warning: restartWarning(running)))]
        }
        guard all.contains(where: \.isPausedByUser) else {
            return refuse("nothing here that could be paused")
        }
        return [.perform(.resume(.all), .resume)]
    }

    /// What pausing costs: a protocol that cannot resume starts from nothing.
    func restartWarning(_ uploads: [Upload]) -> String? {
        let losing = uploads.filter { upload in
            table.running.contains(upload.id) && !upload.canResume && (live[upload.id]?.sample.sent ?? 0) > 0
        }
        guard let first = losing.first else { return nil }
        let method = first.target.method.uppercased()
        return losing.count == 1
            ? "\(first.path.name) starts again from 0: \(method) cannot resume"
            : "\(losing.count) of them start again from 0: \(method) cannot resume"
    }

    private mutating func retry() -> [Effect] {
        let targets = targets.filter(\.canBeRetried)
        guard !targets.isEmpty else { return refuse("nothing here to try again") }
        return [.perform(.retry(.ids(targets.map(\.id))), .retry)]
    }

    private mutating func remove() -> [Effect] {
        let targets = targets
        guard !targets.isEmpty else { return [] }
        let onServer = targets.filter(isPartlyAtServer)
        let ids = targets.map(\.id)
        let name = targets.count == 1 ? targets.first?.path.name : nil
        guard !onServer.isEmpty else { return [.perform(.remove(.ids(ids)), .remove(name: name))] }
        dialog = .removal(
            RemovalDialog(
                targets: ids, name: name, onServer: onServer.count,
                bytes: onServer.reduce(0) { $0 + Int128(held($1)) }, openedAt: clock.seconds))
        return []
    }

    private mutating func move(_ direction: QueueMove) -> [Effect] {
        guard table.order == .queue else {
            let way = actions.phrase(.order, actions.label(of: .orderBy(.queue), in: .order) ?? "")
            return refuse(
                "the rows stand by \(table.order.title); moving needs the order of the queue"
                    + (way.map { ": \($0)" } ?? ""))
        }
        let ids = targets.map(\.id)
        return ids.isEmpty ? [] : [.perform(.move(.ids(ids), direction), .move)]
    }
}

extension Upload.State {
    var isUnfinished: Bool {
        if case .done = self { return false }
        return true
    }
}

extension Upload.State {
    var canBePaused: Bool {
        switch self {
        case .queued, .running, .waiting: true
        case .paused(let reasons): !reasons.contains(.user)
        case .held, .done, .failed: false
        }
    }

    var isPausedByUser: Bool {
        if case .paused(let reasons) = self { return reasons.contains(.user) }
        return false
    }

    var canBeRetried: Bool {
        switch self {
        case .waiting, .held, .failed: true
        case .queued, .running, .paused, .done: false
        }
    }
}

extension Upload {
    var canBePaused: Bool { state.canBePaused }
    var isPausedByUser: Bool { state.isPausedByUser }
    /// What is to start later can start now.
    var canBeRetried: Bool { state.canBeRetried || state == .queued && start != nil }

    /// True if it has been tried, and will be again without anybody doing anything.
    var isUnderWay: Bool {
        switch state {
        case .running, .waiting: true
        case .queued, .paused(.offline): tries.attempts > 0
        case .paused, .held, .done, .failed: false
        }
    }
}
