import FerryFiles

/// The journal's files and where in them we are. Used by one caller at a time; every call does its work before it
/// returns.
package struct JournalStore {
    let files: any StateFiles
    let options: FileJournal.Options
    private var phase = Phase.closed
    private var unknown = UnknownContent()
    /// The number of the last journal.
    private var generation = 0
    /// The number of the last record that was acknowledged.
    private var sequence = 0
    /// Bytes in journals that no snapshot holds.
    private var pending = 0
    private var snapshotLength = 0
    /// No current snapshot is there, so one is due however little is pending.
    private var mustCompact = false
    private var compacting = CompactionPhase.none
    private let turn = Compaction.Turn()
    private var reserve: JournalReserve
    private var room = Room.enough
    /// The last condition that the journal's owner was told.
    var told = JournalCondition.sound

    private enum Phase {
        case closed
        case ready(Writing)
        /// A sync failed. What the file holds is not known and will not be known from it again.
        case suspect(Writing, JournalError)
        /// No change can be acknowledged any more.
        case lost(JournalError)
    }

    private enum CompactionPhase {
        case none
        /// Takes up this many of the pending bytes.
        case running(Int)
        /// No snapshot is tried again before this many bytes are pending.
        case failed(Int, JournalError)
    }

    private enum Room {
        case enough
        /// The disk refused an append of so many bytes, or a snapshot.
        case short(JournalError, wanted: Int)
    }

    /// Changes that are written together.
    package struct Entry: Sendable {
        var changes: [QueueChange]
        /// Found out by the engine, and not asked for by a person.
        var isFinding: Bool

        package init(_ changes: [QueueChange], isFinding: Bool = false) {
            self.changes = changes
            self.isFinding = isFinding
        }
    }

    private struct Writing {
        var file: any StateFile
        var generation: Int
        /// Bytes known to be durable.
        var durable: Int
        /// The acknowledged bytes after them.
        var volatile: [UInt8] = []

        var length: Int { durable + volatile.count }
    }

    package init(files: any StateFiles, options: FileJournal.Options) {
        self.files = files
        self.options = options
        reserve = JournalReserve(options.reserve, in: files)
    }

    package mutating func load() throws(JournalError) -> Recovered {
        let outcome = try Recovery(files: files, edited: options.editedSnapshot, now: options.now()).run()
        unknown = outcome.unknown
        generation = outcome.generation
        sequence = outcome.sequence
        pending = outcome.pending
        snapshotLength = outcome.snapshotLength
        do throws(SystemCallError) {
            // What a killed process wrote and never synced is about to be built upon. It may stand before the last
            // journal: one that was made and could not be used is left behind it.
            let name = JournalFile.name(generation)
            for earlier in outcome.journals where earlier != name {
                try files.open(earlier, for: .appending)?.synchronize()
            }
            let existing = try files.open(name, for: .appending)
            let file = if let existing { existing } else { try files.create(name) }
            try file.synchronize()
            try files.synchronize()
            phase = .ready(Writing(file: file, generation: generation, durable: try file.length()))
        } catch {
            throw JournalError(error, in: files.path)
        }
        mustCompact = !outcome.hasSnapshot
        // A new queue is complete on disk from the start.
        if outcome.isNew { finish(try compaction(to: generation).run()) }
        reserve.prepare()
        return outcome.recovered
    }

    /// Writes what people ask for: each element of `appends` wholly or not at all, all durable together.
    package mutating func append(
        _ appends: [[QueueChange]], durably: Bool
    ) -> [Result<Void, JournalError>] {
        append(appends.map { Entry($0) }, durably: durably)
    }

    /// Writes each entry wholly or not at all, and makes all of them durable together. What the engine found out may
    /// take the reserve; what people ask for may not, and waits until it is whole again.
    package mutating func append(_ entries: [Entry], durably: Bool) -> [Result<Void, JournalError>] {
        if reserve.state == .spent, !entries.allSatisfy(\.isFinding) { lookForRoom() }
        let (results, failure) = attempt(entries, durably: durably)
        guard let failure, failure.isDiskFull, entries.contains(where: \.isFinding),
            spendReserve(for: failure)
        else { return results }
        return attempt(entries, durably: durably).results
    }

    private mutating func attempt(
        _ entries: [Entry], durably: Bool
    ) -> (results: [Result<Void, JournalError>], failure: JournalError?) {
        var refusal: JournalError?
        if reserve.state == .spent, case .short(let error, _) = room { refusal = error }
        var results: [Result<Void, JournalError>] = []
        var lines: [UInt8] = []
        var last = sequence
        for entry in entries {
            results.append(
                Result { () throws(JournalError) in
                    guard !entry.changes.isEmpty else { return }
                    if let refusal, !entry.isFinding { throw refusal }
                    let line = try JournalRecord.line(
                        entry.changes, sequence: last + 1, unknown: unknown)
                    if lines.isEmpty { lines = line } else { lines += line }
                    last += 1
                })
        }
        do throws(JournalError) {
            try write(lines, upTo: last, durably: durably)
            if reserve.state != .spent, !lines.isEmpty { room = .enough }
            forget(zip(entries, results).filter { (try? $1.get()) != nil }.map(\.0.changes))
            return (results, nil)
        } catch {
            if error.isDiskFull { room = .short(error, wanted: lines.count) }
            let failed = results.map { result in
                if case .failure = result { result } else { Result<Void, JournalError>.failure(error) }
            }
            return (failed, error)
        }
    }

    private mutating func forget(_ appends: [[QueueChange]]) {
        guard !unknown.uploads.isEmpty else { return }
        for case .remove(let id) in appends.joined() { unknown.uploads[id] = nil }
    }

    private mutating func write(_ lines: [UInt8], upTo last: Int, durably: Bool) throws(JournalError) {
        switch phase {
        case .closed: throw .notOpen
        case .lost(let error): throw error
        case .suspect(let writing, _): try startOver(writing, adding: lines, upTo: last)
        case .ready(var writing):
            if !lines.isEmpty {
                do throws(SystemCallError) {
                    try writing.file.append(lines)
                } catch {
                    takeBack(writing)
                    throw JournalError(error, in: files.path)
                }
            }
            if durably || writing.volatile.count + lines.count > options.maximumVolatile {
                guard !lines.isEmpty || !writing.volatile.isEmpty else { return }
                do throws(SystemCallError) {
                    try writing.file.synchronize()
                } catch {
                    phase = .suspect(writing, JournalError(error, in: files.path))
                    return try startOver(writing, adding: lines, upTo: last)
                }
                writing.durable += writing.volatile.count + lines.count
                writing.volatile = []
            } else {
                writing.volatile += lines
            }
            sequence = last
            pending += lines.count
            phase = .ready(writing)
        }
    }

    /// Removes what may have been written of records that are refused.
    private mutating func takeBack(_ writing: Writing) {
        do throws(SystemCallError) {
            // A disk that took nothing need not be asked to give it back: that may be refused too.
            if try writing.file.length() == writing.length { return }
            try writing.file.truncate(to: writing.length)
        } catch {
            let error = JournalError(error, in: files.path)
            // Over a quota some file systems cannot even shorten a file. New ones will do when there is room.
            phase = error.isDiskFull ? .suspect(writing, error) : .lost(error)
        }
    }

    /// Writes everything acknowledged, and `lines`, into new files after a failed sync; the old one is not written to
    /// again.
    private mutating func startOver(
        _ writing: Writing, adding lines: [UInt8], upTo last: Int
    ) throws(JournalError) {
        generation += 1
        let written: Compaction.Written
        let fresh: any StateFile
        do throws(JournalError) {
            let content = try content(of: writing) + lines
            fresh = try makeJournal(generation)
            written = try Compaction(
                files: files, turn: turn, generation: generation, sequence: last,
                replacement: Compaction.Replacement(generation: writing.generation, content: content),
                savedAt: options.now()
            ).run()
        } catch {
            try? files.remove(JournalFile.name(generation))
            phase = .suspect(writing, error)
            // Refused records must not come back once later ones are acknowledged.
            takeBack(writing)
            throw error
        }
        if let doubt = written.doubt {
            // The records stand in a snapshot that may or may not be there tomorrow: nothing can be built on it.
            phase = .lost(doubt)
            throw doubt
        }
        phase = .ready(Writing(file: fresh, generation: generation, durable: 0))
        sequence = last
        pending = 0
        snapshotLength = written.length
        mustCompact = false
    }

    private func content(of writing: Writing) throws(JournalError) -> [UInt8] {
        var content = [UInt8](repeating: 0, count: writing.durable)
        let result = content.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemCallError) in try writing.file.read(into: buffer, at: 0) }
        }
        switch result {
        case .success(writing.durable): return content + writing.volatile
        case .success: throw .damaged(path: files.path, byte: 0, reason: "the journal became shorter")
        case .failure(let error): throw JournalError(error, in: files.path)
        }
    }

    private func makeJournal(_ generation: Int) throws(JournalError) -> any StateFile {
        let name = JournalFile.name(generation)
        do throws(SystemCallError) {
            let file = try files.create(name)
            do throws(SystemCallError) {
                try files.synchronize()
            } catch {
                try? files.remove(name)
                throw error
            }
            return file
        } catch {
            throw JournalError(error, in: files.path)
        }
    }
}

extension JournalStore {
    var isOpen: Bool {
        if case .closed = phase { false } else { true }
    }

    /// The promise that the store can make now.
    package var condition: JournalCondition {
        switch (phase, room, compacting) {
        case (.lost(let error), _, _), (.suspect(_, let error), _, _): .refusing(error)
        case (.closed, .short(let error, _), _), (.ready, .short(let error, _), _): .refusing(error)
        case (.closed, .enough, .failed(_, let error)), (.ready, .enough, .failed(_, let error)):
            .behind(error)
        case (.closed, .enough, _), (.ready, .enough, _): .sound
        }
    }

    /// Turns to new files if the old ones cannot be trusted, and looks for room if there was none.
    package mutating func repair() {
        switch phase {
        case .suspect: try? write([], upTo: sequence, durably: true)
        case .ready: lookForRoom()
        case .closed, .lost: break
        }
    }

    /// Gives the reserve's room to what could not be written for `error`. False if there is no reserve.
    package mutating func spendReserve(for error: JournalError) -> Bool {
        guard reserve.spend() else { return false }
        room = .short(error, wanted: 0)
        return true
    }

    private mutating func lookForRoom() {
        if reserve.state == .spent { return refill() }
        guard case .short(_, let wanted) = room else {
            // Not having one is no trouble as long as there is room.
            try? reserve.fill()
            return
        }
        do throws(JournalError) {
            // A change larger than this is tried when somebody asks for it again.
            try reserve.probe(min(max(wanted, 4096), 1 << 16))
            room = .enough
        } catch {
            room = .short(error, wanted: wanted)
        }
    }

    private mutating func refill() {
        do throws(JournalError) {
            try reserve.fill()
            room = .enough
        } catch {
            room = reserve.state == .spent ? .short(error, wanted: 0) : .enough
        }
    }

    /// True if a snapshot is due.
    package var isCompactionDue: Bool {
        switch compacting {
        case .running: false
        case .none: mustCompact || pending > largestJournal
        case .failed(let limit, _): pending > limit
        }
    }

    /// True if the snapshot does not hold everything.
    package var isBehind: Bool { mustCompact || pending > 0 }

    /// True if opening or closing the journal is to write a snapshot.
    var isDueAtEnds: Bool { options.snapshotsAtEnds ? isBehind : isCompactionDue }

    /// Makes every record that was acknowledged durable.
    mutating func synchronize() throws(JournalError) { try write([], upTo: sequence, durably: true) }

    /// The error by which the last snapshot was not written, if so.
    var compactionFailure: JournalError? {
        if case .failed(_, let error) = compacting { error } else { nil }
    }

    private var largestJournal: Int { max(options.compactionThreshold, snapshotLength / 2) }

    /// Turns to a new journal, so that everything before it can be written as a snapshot meanwhile.
    ///
    /// - Returns: What to run, and to report to `finish`; nil if there is nothing to do.
    package mutating func rotate() throws(JournalError) -> Compaction? {
        if case .running = compacting { return nil }
        do throws(JournalError) {
            // A later durable record must never be there without the earlier ones.
            try synchronize()
            guard isBehind else { return nil }
            // An empty journal is as good as a new one, unless the snapshot in force has its number: tries that fail
            // must not leave one each.
            if case .ready(let writing) = phase, writing.length == 0, pending > 0 || snapshotLength == 0 {
                compacting = .running(pending)
                return compaction(to: generation)
            }
            let next = generation + 1
            let file = try makeJournal(next)
            generation = next
            phase = .ready(Writing(file: file, generation: next, durable: 0))
        } catch {
            fail(error)
            throw error
        }
        compacting = .running(pending)
        return compaction(to: generation)
    }

    package mutating func finish(_ written: Compaction.Written) {
        snapshotLength = written.length
        if let doubt = written.doubt { return fail(doubt) }
        if case .running(let bytes) = compacting { pending = max(0, pending - bytes) }
        compacting = .none
        mustCompact = false
    }

    package mutating func fail(_ error: JournalError) {
        compacting = .failed(pending + largestJournal, error)
    }

    package mutating func close() { phase = .closed }

    private func compaction(to generation: Int) -> Compaction {
        Compaction(
            files: files, turn: turn, generation: generation, sequence: sequence, replacement: nil,
            savedAt: options.now())
    }
}
