import FerryProtocols
import FerryTestSupport
import FerryTransfer
import FerryUploads
import Foundation

/// The users of the queue: they send random commands, and record which promises follow from the replies.
struct People {
    let world: World

    /// Returns a random command.
    ///
    /// - Parameter least: The least number of uploads to add. Above 0, the command adds uploads.
    func command(adding least: Int = 0) -> QueueCommand {
        world.with { state in
            let known = state.watch.uploads.filter { $0.value.removal == .no && $0.value.isAdded }.keys
                .sorted()
            if least > 0 || known.isEmpty { return Self.add(max(1, least), after: [], &state) }
            let chosen = Self.selection(of: known, &state.random)
            switch Int.random(in: 0..<100, using: &state.random) {
            case 0..<14:
                return Self.add(Int.random(in: 1...3, using: &state.random), after: known, &state)
            case 14..<34: return .pause(chosen)
            case 34..<56: return .resume(chosen)
            case 56..<74: return .retry(chosen)
            case 74..<80: return .remove(chosen)
            case 80..<88:
                let moves: [QueueMove] = [.up, .down, .top, .bottom]
                return .move(chosen, moves.randomElement(using: &state.random) ?? .top)
            case 88..<92: return .limitConcurrency(Int.random(in: 1...4, using: &state.random))
            case 92..<94:
                return .limitBandwidth(
                    .atMost(.random(in: 1...1 << 20, using: &state.random)), .total)
            case 94..<96: return .list
            case 96..<98: return .undo
            case 98: return .redo
            default: return .tryNow
            }
        }
    }

    private static func selection(of ids: [Upload.ID], _ random: inout SeededGenerator) -> UploadSelection {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: .all
        case 1: .failed
        case 2: .done
        default: .ids(Array(ids.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random))))
        }
    }

    /// Returns a command that adds `count` uploads.
    ///
    /// - Parameter known: The uploads that can stand in a start condition of the new ones.
    private static func add(
        _ count: Int, after known: [Upload.ID], _ state: inout World.State
    ) -> QueueCommand {
        let start = known.isEmpty ? nil : condition(among: known, &state)
        let sizes: [ByteCount] = [0, 1, 2, 10, 100, 1000]
        let methods = ["tus", "tus", "put", "post"]
        return .add(
            (0..<count).map { _ in
                let file = state.versions.count + 1
                state.versions[file] = 1
                let site = Site.allCases.randomElement(using: &state.random) ?? .first
                return NewUpload(
                    path: LocalPath("/files/\(file)"),
                    identity: FileIdentity(
                        device: 1, inode: UInt64(file), size: sizes.randomElement(using: &state.random) ?? 1,
                        modified: 1, changed: 1),
                    target: .init(
                        destination: "", url: site.url,
                        protocolName: methods.randomElement(using: &state.random) ?? "tus", name: "\(file)"),
                    start: start)
            })
    }

    /// Returns a random start condition; nil in most cases.
    private static func condition(
        among known: [Upload.ID], _ state: inout World.State
    ) -> Upload.StartCondition? {
        var condition = Upload.StartCondition()
        if state.random.happens(25), let other = known.randomElement(using: &state.random) {
            condition.after = [other...other + Int.random(in: 0...2, using: &state.random)]
        }
        if state.random.happens(15) {
            let seconds = Double(Int.random(in: 1...300, using: &state.random))
            condition.notBefore = World.date(state).addingTimeInterval(seconds)
        }
        return condition == Upload.StartCondition() ? nil : condition
    }

    /// Records that a command was sent. Its effects may occur from now on.
    ///
    /// - Returns: The counts at this time, for `answered`.
    func asked(_ command: QueueCommand) -> Watch.Asked {
        world.with { state in
            var before = state.watch.askedSoFar
            state.watch.commandsUnderWay += 1
            state.log.add("command", 0, 0) { "\(command)".prefix(200).description }
            switch command {
            case .pause(let chosen):
                Self.each(chosen, &state.watch) { known in known.notBefore = nil }
            case .resume(let chosen):
                state.watch.resumesAsked += 1
                state.watch.resumesUnderWay += 1
                if chosen.isBroad { state.watch.broadResumes += 1 }
                Self.each(chosen, &state.watch) { known in
                    known.notBefore = nil
                    known.resumes += 1
                    known.isPaused = false
                }
            case .retry(let chosen):
                if chosen.isBroad { state.watch.broadRetries += 1 }
                Self.each(chosen, &state.watch) { known in
                    known.notBefore = nil
                    known.retries += 1
                    known.allowance += 1000
                    // A retry of chosen uploads starts them now, without their start condition.
                    if !chosen.isBroad { known.condition = nil }
                }
            case .remove: state.watch.removalsUnderWay += 1
            case .undo, .undoCommand, .redo, .redoCommand:
                // Only the reply says which command is undone or redone, so all of them are possible.
                state.watch.resumesAsked += 1
                state.watch.resumesUnderWay += 1
                state.watch.broadResumes += 1
                state.watch.removalsUnderWay += 1
                state.watch.undosAsked += 1
                state.watch.undosUnderWay += 1
                // The count for this command's own reply includes this command.
                before.undos = before.undos.map { $0 + 1 }
                Self.each(.all, &state.watch) { known in
                    known.notBefore = nil
                    known.isPaused = false
                    guard known.removal != .no else { return }
                    known.removal = .asked
                    known.allowance += 1000
                }
            case .limitConcurrency(let count): state.watch.ceiling = max(state.watch.ceiling, count)
            case .tryNow:
                for id in state.watch.uploads.keys { state.watch.uploads[id]?.notBefore = nil }
            case .add, .addMissing, .addNew, .find, .nextUndo, .nextRedo, .list, .move, .limits,
                .limitBandwidth, .flush, .stopWhenIdle:
                break
            }
            return before
        }
    }

    private static func each(
        _ selection: UploadSelection, _ watch: inout Watch, _ change: (inout Watch.Known) -> Void
    ) {
        let ids = if case .ids(let ids) = selection { ids } else { Array(watch.uploads.keys) }
        for id in ids {
            if var known = watch.uploads[id] {
                change(&known)
                watch.uploads[id] = known
            }
        }
    }

    /// Handles the reply to a command: from now on no crash may lose its effect.
    func answered(_ command: QueueCommand, _ reply: QueueReply, before: Watch.Asked) {
        world.with { state in
            state.watch.commandsUnderWay -= 1
            switch command {
            case .resume: state.watch.resumesUnderWay -= 1
            case .remove: state.watch.removalsUnderWay -= 1
            case .undo, .undoCommand, .redo, .redoCommand:
                state.watch.resumesUnderWay -= 1
                state.watch.removalsUnderWay -= 1
                state.watch.undosUnderWay -= 1
            default: break
            }
            switch reply {
            case .refused(let failure):
                state.log.add("refused", 0, 0) { failure.summary }
                return
            case .uploads(let uploads): state.log.add("listed", uploads.count)
            case .limits, .undoable: break
            case .reversed(let change, let ids):
                state.log.add("reversed", ids.count) { "\(change) \(ids)" }
                for id in ids { Self.reversed(id, change, before: before, &state.watch) }
            case .changed(let ids), .addedPaused(let ids):
                state.log.add("changed", ids.count) { "\(ids)" }
                for id in ids {
                    Self.changed(id, by: command, before: before, &state.watch)
                }
            }
        }
    }

    private static func reversed(
        _ id: Upload.ID, _ change: QueueChangeKind, before: Watch.Asked, _ watch: inout Watch
    ) {
        switch change {
        case .putBack: watch.uploads[id]?.removal = .no
        case .removed, .unadded:
            let removal = watch.removal(since: before)
            watch.uploads[id]?.removal = removal
        case .paused, .resumed, .moved, .limited, .retried: break
        }
    }

    private static func changed(
        _ id: Upload.ID, by command: QueueCommand, before: Watch.Asked, _ watch: inout Watch
    ) {
        var known = watch.uploads[id] ?? Watch.Known()
        switch command {
        case .add, .addMissing, .addNew:
            if known.isAdded { watch.violated("I6", "the number \(id) was given twice") }
            known.isAdded = true
        case .pause: known.isPaused = watch.isAlone(before.resumes, watch.askedSoFar.resumes) && !known.isHeld
        case .remove: known.removal = watch.removal(since: before)
        default: break
        }
        watch.uploads[id] = known
    }
}

extension UploadSelection {
    fileprivate var isBroad: Bool { if case .ids = self { false } else { true } }
}
