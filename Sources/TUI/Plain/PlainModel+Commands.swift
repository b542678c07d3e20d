import FerryProtocols
import FerryTransfer
import FerryUploads

/// Typed lines, and what comes of them.
extension PlainModel {
    mutating func take(_ line: LineSplitter.Line) {
        guard case .text(let text) = line else {
            say("the line was too long and was not read")
            return
        }
        if let question, answer(question, text) { return }
        do throws(PlainMistake) {
            if let command = try PlainCommand.parse(text) { carryOut(command) }
        } catch {
            say(error.text)
        }
    }

    mutating func endInput() {
        switch input {
        case .terminal: quit()
        case .pipe: input = .ended
        case .ended, .waitingForIdle, .idle: break
        }
    }

    /// Returns true if the line was an answer and nothing else. What is not a yes is a no.
    private mutating func answer(_ question: Question, _ line: String) -> Bool {
        let word = line.filter { !$0.isWhitespace }.lowercased()
        switch question {
        // Only the same command again is an answer.
        case .quit: return false
        case .removal(let selection):
            self.question = nil
            guard ["y", "yes"].contains(word) else {
                say("kept")
                return word.isEmpty || ["n", "no"].contains(word)
            }
            perform(.remove(selection), .remove(name: nil), removalAnswer(selection))
            return true
        case .undo(let number):
            self.question = nil
            guard ["y", "yes"].contains(word) else {
                say("nothing was undone")
                return word.isEmpty || ["n", "no"].contains(word)
            }
            perform(.undoCommand(number), .undo, Answer(reversed: "undone"))
            return true
        }
    }

    private mutating func carryOut(_ command: PlainCommand) {
        if command != .quit { question = nil }
        switch command {
        case .help: say(PlainVerb.allCases.map { "\($0.usage): \($0.purpose)" })
        case .list(let tab, let filter): say(model.list(tab, filter))
        case .show(let numbers): say(model.details(of: numbers))
        case .add(let paths, let destination): add(paths, to: destination)
        case .pause(let selection):
            let warning = model.restartWarning(model.uploads(in: selection))
            perform(
                .pause(selection), .pause(warning: warning),
                Answer(
                    changed: warning, unchanged: "nothing to pause there",
                    steering: .init(order: .pause, selection: selection)))
        case .resume(let selection):
            perform(
                .resume(selection), .resume,
                Answer(
                    unchanged: "nothing there is paused",
                    steering: .init(order: .resume, selection: selection)))
        case .retry(let selection):
            perform(
                .retry(selection), .retry,
                Answer(
                    unchanged: "nothing there can be tried again",
                    steering: .init(order: .retry, selection: selection)))
        case .remove(let selection): remove(selection)
        case .move(let selection, let move):
            perform(
                .move(selection, move), .move,
                Answer(
                    changed: "moved \(move == .top || move == .bottom ? "to the " : "")\(move.rawValue)",
                    unchanged: "nothing to move: it is there already"))
        case .limit(let bandwidth, let scope): limit(bandwidth, scope)
        case .limits:
            say(
                model.status.limits.withTotal.map {
                    $0.listed(at: model.clock.date, in: model.appearance.zone)
                })
        case .parallel(let number):
            perform(
                .limitConcurrency(number), .limitConcurrency(number),
                Answer(always: "\(Wording.count(number, "upload")) at once"))
        // A script is asked nothing.
        case .undo: perform(input == .terminal ? .nextUndo : .undo, .undo, Answer(reversed: "undone"))
        case .redo: perform(.redo, .redo, Answer(reversed: "done again"))
        case .now: perform(.tryNow, .tryNow, Answer(always: "trying now"))
        case .detach: detach()
        case .quit: quit()
        }
    }

    private mutating func limit(_ bandwidth: Bandwidth?, _ scope: LimitScope) {
        // What is ordered of one that is gone can be taken back.
        if case .destination(let name) = scope, !model.destinations.contains(name), bandwidth != nil {
            let known = model.destinations.joined(separator: ", ")
            return say("there is no destination \(name)\(known.isEmpty ? "" : "; there are \(known)")")
        }
        perform(
            .limitBandwidth(bandwidth, scope), .limitBandwidth(bandwidth),
            Answer(always: BandwidthOrder.told(bandwidth, of: scope)))
    }

    private mutating func detach() {
        switch model.tie {
        case .attached: finish(.quit)
        case .detachable where !model.isEngineGone: finish(.detach)
        case .detachable, .own: say("this queue ends with its screen")
        }
    }

    private mutating func perform(_ command: QueueCommand, _ request: Request, _ answer: Answer) {
        awaited.append(answer)
        order(.perform(command, request))
    }

    private mutating func remove(_ selection: UploadSelection) {
        let targets = model.uploads(in: selection)
        let onServer = targets.filter(model.isPartlyAtServer)
        guard let first = onServer.first else {
            perform(.remove(selection), .remove(name: nil), removalAnswer(selection))
            return
        }
        question = .removal(selection)
        let bytes = onServer.reduce(Int128(0)) { $0 + Int128(model.held($1)) }
        let parts = bytes > 0 ? "about \(ByteFormat.sentence(bytes))" : "a part"
        let what =
            onServer.count == 1
            ? PlainText.numbered(first) : "\(Wording.count(onServer.count)) of them"
        say(
            "the server already holds \(parts) of \(what), which is deleted there 10 seconds later; undo takes it back"
        )
        say("type yes to remove \(targets.count == 1 ? "it" : "them"); anything else keeps what is there")
    }

    /// The news tell of unfinished uploads that are removed, and not of done ones: they also go by themselves.
    private func removalAnswer(_ selection: UploadSelection) -> Answer {
        let done = model.uploads(in: selection).filter { !$0.state.isUnfinished }
        let text = "removed \(Wording.count(done.count, "done upload")) from the queue"
        return Answer(changed: done.isEmpty ? nil : text, unchanged: "nothing to remove there")
    }

    /// Leaves, at the second time if something would stop.
    private mutating func quit() {
        let running = model.table.running.count
        if question == .quit || model.isEngineGone
            || (running == 0 || model.tie == .attached) && additions.isEmpty
        {
            finish(.quit)
            return
        }
        question = .quit
        let what =
            running == 0
            ? "files are still being added"
            : running == 1 ? "1 upload is running" : "\(Wording.count(running)) uploads are running"
        say("\(what); quit again leaves, and what is not finished goes on next time")
    }

    /// Tells of uploads that an order was for why it has not changed them.
    private mutating func tellUnchanged(_ steering: Steering, but changed: [Upload.ID]) {
        let uploads = steering.selection.unchanged(among: model.uploads(in: steering.selection), but: changed)
        for sentence in UnchangedNotes(steering.order, uploads, spelled: { $0 }).sentences { say(sentence) }
    }

    /// Puts the queue's answer into words.
    mutating func take(_ reply: QueueReply) {
        guard !awaited.isEmpty else { return }
        let answer = awaited.removeFirst()
        switch reply {
        case .refused(let failure):
            say("not done: " + [failure.summary, failure.hint].compactMap { $0 }.joined(separator: "; "))
        case .changed(let ids), .addedPaused(let ids):
            if let text = ids.isEmpty ? answer.unchanged : answer.changed { say(text) }
            if let steering = answer.steering { tellUnchanged(steering, but: ids) }
            if let files = answer.files, ids.count < files {
                say("\(Wording.count(files - ids.count)) left out: in the queue already, in this version")
            }
        case .reversed(let change, let ids):
            let told = change.told(
                of: what(ids), count: ids.count, at: model.clock.date, in: model.appearance.zone)
            say("\(answer.reversed ?? "done"): \(told)")
        case .undoable(let offer): ask(offer)
        case .uploads, .limits: break
        }
    }

    private mutating func ask(_ offer: UndoOffer) {
        let told = offer.told(of: what(offer.ids), at: model.clock.date, in: model.appearance.zone)
        say("undo: \(told)")
        say("type yes to do so; anything else changes nothing")
        question = .undo(offer.number)
    }

    /// The one by number and name, more by how many they are.
    private func what(_ ids: [Upload.ID]) -> String {
        let one = ids.count == 1 ? ids.first.flatMap { model.table[$0] } : nil
        return one.map(PlainText.numbered) ?? Wording.count(ids.count, "upload")
    }
}

extension PlainModel.Answer {
    /// For a command that concerns no upload.
    init(always text: String) { self.init(changed: text, unchanged: text) }
}
