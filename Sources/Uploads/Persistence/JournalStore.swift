/// The open files of a journal. Only one caller at a time may use the store, whose calls block.
package struct JournalStore {
    let files: any StateFiles
    let options: FileJournal.Options
    private var phase = Phase.closed
    private var unknown = UnknownContent()
    private var generation = 0
    private var sequence = 0
    /// The number of bytes of journal records whose changes the current snapshot does not contain.
    private var pending = 0
    private var snapshotLength = 0
    /// True if the current snapshot is missing or must be replaced, even if the journals are short.
    private var mustCompact = false
    private var compacting = CompactionPhase.none
    private let turn = Compaction.Turn()
    private var reserve: JournalReserve
    private var room = Room.enough
    var reportedCondition = JournalCondition.healthy

    private enum Phase {
        case closed
        case ready(OpenJournal)
        /// A sync failed, or a refused record could not be removed. Reading the file would only return what the kernel
        /// has cached, so the next write goes to new files.
        case suspect(OpenJournal, JournalError)
        /// The content of the files is unknown after a failure. The store refuses all further changes.
        case lost(JournalError)
    }

    private enum CompactionPhase {
        case none
        /// A snapshot with this number of bytes of journal records is being written.
        case running(Int)
        /// The last snapshot could not be written. The next attempt follows when it lacks more than these bytes.
        case failed(Int, JournalError)
    }

    private enum Room {
        case enough
        /// The disk is full. `wanted` is the number of bytes that could not be written; 0 if the number is unknown.
        case short(JournalError, wanted: Int)
    }

    /// Changes that are written as one record: completely or not at all.
    package struct Entry: Sendable {
        var changes: [QueueChange]
        /// True for a result that Ferry cannot request again, such as a server's response.
        var isFinding: Bool

        package init(_ changes: [QueueChange], isFinding: Bool = false) {
            self.changes = changes
            self.isFinding = isFinding
        }
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
        try files.perform { () throws(SystemCallError) in
            // Syncs the records of a killed process, some perhaps in an earlier journal, before new ones follow.
            let name = JournalFile.name(generation)
            for earlier in outcome.journals where earlier != name {
                try files.open(earlier, for: .appending)?.synchronize()
            }
            let file = try files.openOrCreate(name)
            try file.synchronize()
            try files.synchronize()
            phase = .ready(OpenJournal(file: file, generation: generation, durable: try file.length()))
        }
        mustCompact = !outcome.hasSnapshot
        if outcome.isNew { finish(try compaction(upTo: sequence).run()) }
        reserve.prepare()
        return outcome.recovered
    }

    /// Writes each entry completely or not at all, and returns a result for each. If `durably` is true, one sync makes
    /// the written ones survive a power cut. On a full disk, only findings are written, into the reserved space.
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
        var lines = JournalText()
        var last = sequence
        for entry in entries {
            results.append(
                Result { () throws(JournalError) in
                    guard !entry.changes.isEmpty else { return }
                    if let refusal, !entry.isFinding { throw refusal }
                    lines.append(
                        try JournalRecord.line(entry.changes, sequence: last + 1, unknown: unknown))
                    last += 1
                })
        }
        do throws(JournalError) {
            try write(lines, upTo: last, durably: durably)
            if reserve.state != .spent, !lines.isEmpty { room = .enough }
            if !unknown.uploads.isEmpty {
                let written = zip(entries, results).filter { (try? $1.get()) != nil }
                for change in written.lazy.flatMap(\.0.changes) {
                    switch change {
                    case .remove(let id): unknown.uploads[id] = nil
                    case .removeAll(let ids): for id in ids { unknown.uploads[id] = nil }
                    case .set, .setState, .settings: break
                    }
                }
            }
            return (results, nil)
        } catch {
            if error.isDiskFull { room = .short(error, wanted: lines.count) }
            let failed = results.map { result in
                if case .failure = result { result } else { Result<Void, JournalError>.failure(error) }
            }
            return (failed, error)
        }
    }

    private mutating func write(_ lines: JournalText, upTo last: Int, durably: Bool) throws(JournalError) {
        switch phase {
        case .closed: throw .notOpen
        case .lost(let error): throw error
        case .suspect(let writing, _): try startOver(writing, adding: lines, upTo: last)
        case .ready(var writing):
            if !lines.isEmpty {
                do throws(SystemCallError) {
                    for chunk in lines.chunks { try writing.file.append(chunk) }
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
                writing.volatile += lines.bytes
            }
            sequence = last
            pending += lines.count
            phase = .ready(writing)
        }
    }

    private mutating func takeBack(_ writing: OpenJournal) {
        do throws(SystemCallError) {
            // If no byte was written, the file is not truncated, because the disk may refuse that too.
            if try writing.file.length() == writing.length { return }
            try writing.file.truncate(to: writing.length)
        } catch {
            let error = JournalError(error, in: files.path)
            // Over a quota, some file systems cannot even shorten a file. New files are used once there is space.
            phase = error.isDiskFull ? .suspect(writing, error) : .lost(error)
        }
    }

    /// Writes a new snapshot of all records with the new ones in `lines`, because the journal file is uncertain.
    private mutating func startOver(
        _ writing: OpenJournal, adding lines: JournalText, upTo last: Int
    ) throws(JournalError) {
        generation += 1
        let written: Compaction.Written
        let fresh: any StateFile
        do throws(JournalError) {
            let content = try writing.content(inFolder: files.path) + lines.bytes
            fresh = try makeJournal(generation)
            let replacement = Compaction.Replacement(generation: writing.generation, content: content)
            written = try compaction(upTo: last, replacing: replacement).run()
        } catch {
            try? files.remove(JournalFile.name(generation))
            phase = .suspect(writing, error)
            // Refused records must not reappear once later ones are acknowledged.
            takeBack(writing)
            throw error
        }
        if let error = written.durabilityError {
            // The records are in a snapshot that may not survive a power cut, so no record may follow them.
            phase = .lost(error)
            throw error
        }
        phase = .ready(OpenJournal(file: fresh, generation: generation, durable: 0))
        sequence = last
        pending = 0
        snapshotLength = written.length
        mustCompact = false
    }

    private func makeJournal(_ generation: Int) throws(JournalError) -> any StateFile {
        let name = JournalFile.name(generation)
        return try files.perform { () throws(SystemCallError) in
            let file = try files.create(name)
            do throws(SystemCallError) {
                try files.synchronize()
            } catch {
                try? files.remove(name)
                throw error
            }
            return file
        }
    }
}

extension JournalStore {
    var isOpen: Bool {
        if case .closed = phase { false } else { true }
    }

    package var condition: JournalCondition {
        switch (phase, room, compacting) {
        case (.lost(let error), _, _), (.suspect(_, let error), _, _), (_, .short(let error, _), _):
            .refusing(error)
        case (_, _, .failed(_, let error)): .snapshotOverdue(error)
        default: .healthy
        }
    }

    /// Writes new files if the journal file is uncertain. Otherwise, looks for space on the disk again.
    package mutating func repair() {
        switch phase {
        case .suspect: try? write(JournalText(), upTo: sequence, durably: true)
        case .ready: lookForRoom()
        case .closed, .lost: break
        }
    }

    /// Releases the reserved space, and refuses users' commands with `error` from now on. Returns false if that fails.
    package mutating func spendReserve(for error: JournalError) -> Bool {
        guard reserve.spend() else { return false }
        room = .short(error, wanted: 0)
        return true
    }

    private mutating func lookForRoom() {
        if reserve.state == .spent { return refill() }
        guard case .short(_, let wanted) = room else {
            // A missing reserve is no failure while the disk has space.
            try? reserve.fill()
            return
        }
        do throws(JournalError) {
            // At most 64 KiB are probed. A larger change is tried when it is requested again.
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

    /// True if a new snapshot must be written now; after a failed attempt, only once the journals are longer.
    package var isCompactionDue: Bool {
        switch compacting {
        case .running: false
        case .none: mustCompact || pending > largestJournal
        case .failed(let limit, _): pending > limit
        }
    }

    package var isBehind: Bool { mustCompact || pending > 0 }

    /// True if a snapshot must be written when the journal is opened or closed.
    var isDueAtEnds: Bool { options.snapshotsAtEnds ? isBehind : isCompactionDue }

    mutating func synchronize() throws(JournalError) {
        try write(JournalText(), upTo: sequence, durably: true)
    }

    var compactionFailure: JournalError? {
        if case .failed(_, let error) = compacting { error } else { nil }
    }

    private var largestJournal: Int { max(options.compactionThreshold, snapshotLength / 2) }

    /// Prepares a new snapshot, whose compaction the caller must run. Later changes go to an empty journal file.
    package mutating func rotate() throws(JournalError) -> Compaction? {
        if case .running = compacting { return nil }
        do throws(JournalError) {
            // A later durable record must never exist without the earlier ones.
            try synchronize()
            guard isBehind else { return nil }
            // An empty journal is reused, so that failed compactions leave none, unless it is the snapshot's.
            let isEmpty = if case .ready(let writing) = phase { writing.length == 0 } else { false }
            if !isEmpty || pending == 0 && snapshotLength > 0 {
                let file = try makeJournal(generation + 1)
                generation += 1
                phase = .ready(OpenJournal(file: file, generation: generation, durable: 0))
            }
        } catch {
            fail(error)
            throw error
        }
        compacting = .running(pending)
        return compaction(upTo: sequence)
    }

    package mutating func finish(_ written: Compaction.Written) {
        snapshotLength = written.length
        if let error = written.durabilityError { return fail(error) }
        if case .running(let bytes) = compacting { pending = max(0, pending - bytes) }
        compacting = .none
        mustCompact = false
    }

    package mutating func fail(_ error: JournalError) {
        compacting = .failed(pending + largestJournal, error)
    }

    package mutating func close() { phase = .closed }

    private func compaction(
        upTo sequence: Int, replacing replacement: Compaction.Replacement? = nil
    ) -> Compaction {
        Compaction(
            files: files, turn: turn, generation: generation, sequence: sequence, replacement: replacement,
            savedAt: options.now())
    }
}
