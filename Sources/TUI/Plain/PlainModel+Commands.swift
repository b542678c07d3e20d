import FerryProtocols
import FerryUploads

/// The handlers of the typed commands.
extension PlainModel {
    mutating func take(_ line: LineSplitter.Line) {
        guard case .text(let text) = line else { return say("the line was too long and was not read") }
        if let question, takeReply(question, text) { return }
        do throws(PlainCommandError) {
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

    /// Handles the line after a question. Returns false if the line is to run as a command.
    private mutating func takeReply(_ question: Question, _ line: String) -> Bool {
        let word = line.filter { !$0.isWhitespace }.lowercased()
        let isYes = ["y", "yes"].contains(word)
        switch question {
        case .quit: return false
        case .removal(let selection) where isYes:
            perform(.remove(selection), .remove(name: nil), removalOutcome(selection))
        case .removal: say("nothing was removed")
        case .undo(let number) where isYes:
            perform(.undoCommand(number), .undo, Outcome(reversed: "undone"))
        case .undo: say("nothing was undone")
        }
        self.question = nil
        return isYes || ["", "n", "no"].contains(word)
    }

    private mutating func carryOut(_ command: PlainCommand) {
        if command != .quit { question = nil }
        switch command {
        case .help: say(PlainVerb.helpLines)
        case .list(let tab, let filter): say(model.list(tab, filter))
        case .show(let numbers): say(model.details(of: numbers))
        case .add(let paths, let destination): add(paths, to: destination)
        case .pause(let selection):
            let warning = model.restartWarning(model.uploads(in: selection))
            steer(.pause, selection, .pause(selection), .pause(warning: warning), warning: warning)
        case .resume(let selection): steer(.resume, selection, .resume(selection), .resume)
        case .retry(let selection): steer(.retry, selection, .retry(selection), .retry)
        case .remove(let selection): remove(selection)
        case .move(let selection, let move):
            perform(
                .move(selection, move), .move,
                Outcome(
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
                Outcome(always: "\(Strings.count(number, "upload")) at once"))
        // Asks nothing without a terminal, because a script cannot answer.
        case .undo: perform(input == .terminal ? .nextUndo : .undo, .undo, Outcome(reversed: "undone"))
        case .redo: perform(.redo, .redo, Outcome(reversed: "redone"))
        case .now: perform(.tryNow, .tryNow, Outcome(always: "trying now"))
        case .detach: detach()
        case .quit: quit()
        }
    }

    private mutating func steer(
        _ verb: NoOpExplanation.Command, _ selection: UploadSelection, _ command: QueueCommand,
        _ request: Request, warning: String? = nil
    ) {
        let unchanged = "nothing to \(verb) there"
        perform(
            command, request, Outcome(changed: warning, unchanged: unchanged, steering: (verb, selection)))
    }

    private mutating func limit(_ bandwidth: Bandwidth?, _ scope: LimitScope) {
        // A limit of a missing destination can still be removed.
        let known = model.adding.destinations.all
        if case .destination(let name) = scope, !known.contains(name), bandwidth != nil {
            let hint = Suggestions.hint(for: name, among: known).map { "; \($0)" }
            return say("there is no destination \(name)\(hint ?? "")")
        }
        perform(
            .limitBandwidth(bandwidth, scope), .limitBandwidth(bandwidth),
            Outcome(always: scope.confirmation(of: bandwidth)))
    }

    private mutating func detach() {
        if let outcome = model.detachment { finish(outcome) } else { say(model.detachRefusal) }
    }

    private mutating func perform(_ command: QueueCommand, _ request: Request, _ answer: Outcome) {
        awaited.append(answer)
        send(.perform(command, request))
    }

    private mutating func remove(_ selection: UploadSelection) {
        let targets = model.uploads(in: selection)
        let onServer = targets.filter(model.live.isPartlyAtServer)
        guard let first = onServer.first else {
            return perform(.remove(selection), .remove(name: nil), removalOutcome(selection))
        }
        question = .removal(selection)
        let bytes = onServer.reduce(Int128(0)) { $0 + Int128(model.live.stored($1)) }
        let parts = bytes > 0 ? "about \(ByteFormat.sentence(bytes))" : "a part"
        let what =
            onServer.count == 1
            ? PlainText.numbered(first) : "\(Strings.count(onServer.count)) of them"
        say(
            "the server already has \(parts) of \(what), which is deleted there 10 seconds later; undo takes it back"
        )
        say("type yes to remove \(targets.count == 1 ? "it" : "them"); anything else keeps what is there")
    }

    /// Returns the outcome, which mentions done uploads only: other removals are events with their own lines.
    private func removalOutcome(_ selection: UploadSelection) -> Outcome {
        let done = model.uploads(in: selection).filter { !$0.state.isUnfinished }
        let text = "removed \(Strings.count(done.count, "done upload")) from the queue"
        return Outcome(changed: done.isEmpty ? nil : text, unchanged: "nothing to remove there")
    }

    /// Quits. Asks the user to type `quit` again if additions or uploads would stop.
    private mutating func quit() {
        let running = model.table.running.count
        if question == .quit || model.isEngineGone
            || (running == 0 || model.ownership == .attached) && additions.isEmpty
        {
            return finish(.quit)
        }
        question = .quit
        let what =
            running == 0
            ? "files are still being added"
            : running == 1 ? "1 upload is running" : "\(Strings.count(running)) uploads are running"
        // Only the demo owns its engine.
        let end =
            model.ownership == .own ? "the demo's files are removed" : "unfinished uploads resume next time"
        say("\(what); type `quit` again to quit; \(end)")
    }

    mutating func take(_ reply: QueueReply) {
        guard !awaited.isEmpty else { return }
        let outcome = awaited.removeFirst()
        switch reply {
        case .refused(let failure): say("not done: " + failure.sentence)
        case .changed(let ids), .addedPaused(let ids):
            if let text = ids.isEmpty ? outcome.unchanged : outcome.changed { say(text) }
            if let steering = outcome.steering {
                let chosen = model.uploads(in: steering.selection)
                let unchanged = steering.selection.unchanged(among: chosen, but: ids)
                say(NoOpExplanation(steering.command, unchanged, spelled: { $0 }).sentences)
            }
            if let files = outcome.files, ids.count < files {
                say("\(Strings.count(files - ids.count)) left out: already queued or done, unchanged")
            }
        case .reversed(let change, let ids):
            let sentence = change.sentence(
                of: what(ids), at: model.clock.date, in: model.appearance.zone)
            say("\(outcome.reversed ?? "done"): \(sentence)")
        case .undoable(let offer): ask(offer)
        case .uploads, .limits: break
        }
    }

    private mutating func ask(_ offer: UndoOffer) {
        // If the queue would refuse the undo, no question is needed: the reply contains the reason.
        if offer.refusal != nil {
            return perform(.undoCommand(offer.number), .undo, Outcome(reversed: "undone"))
        }
        let sentence = offer.sentence(of: what(offer.ids), at: model.clock.date, in: model.appearance.zone)
        say("undo: \(sentence)")
        say("type yes to do so; anything else changes nothing")
        question = .undo(offer.number)
    }

    /// Returns the number and name of one upload, or the count of several.
    private func what(_ ids: [Upload.ID]) -> String {
        let one = ids.count == 1 ? ids.first.flatMap { model.table[$0] } : nil
        return one.map(PlainText.numbered) ?? Strings.count(ids.count, "upload")
    }
}

extension PlainModel.Outcome {
    /// Creates the outcome whose line is printed even if no upload has changed.
    init(always text: String) { self.init(changed: text, unchanged: text) }
}

/// The command `add`. Each addition finds its files, then queues them, before the next begins.
extension PlainModel {
    private static let problemsShown = 5

    mutating func add(_ paths: String, to destination: String?) {
        let (destinations, preferred) = (model.adding.destinations.all, model.adding.destinations.preferred)
        let usual = preferred ?? (destinations.count == 1 ? destinations.first : nil)
        if destination == nil, usual == nil, !destinations.isEmpty {
            return say("add it where? end the line with to \(destinations.joined(separator: ", or to "))")
        }
        additions.append(
            Addition(
                paths: paths, destination: destination ?? usual ?? "",
                number: model.adding.nextQuestion()))
        if additions.count == 1 { look() }
    }

    private mutating func look() {
        guard let next = additions.first else { return }
        send(.preview(AddRequest(text: next.paths), number: next.number))
    }

    mutating func take(_ selection: FileSelection, number: Int) {
        guard let addition = additions.first, addition.number == number else { return }
        additions.removeFirst()
        let problems = selection.problems
        for problem in problems.prefix(Self.problemsShown) {
            say("left out: \(problem.path.text): \(problem.reason)")
        }
        if problems.count > Self.problemsShown {
            say("\(Strings.count(problems.count - Self.problemsShown)) more left out")
        }
        if selection.files.isEmpty {
            say("nothing to add")
        } else {
            awaited.append(Outcome(files: selection.files.count))
            send(.add(selection, destination: addition.destination))
        }
        look()
    }
}
