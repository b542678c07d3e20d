import FerryFiles

/// The journal's files and the current position in them. Only one caller at a time is allowed to use the store; every
/// call finishes its work before it returns.
package struct JournalStore {
    let files: any StateFiles
    let options: FileJournal.Options
    private var phase = Phase.closed
    private var unknown = UnknownContent()
    /// The generation (running number) of the journal to which changes are appended.
    private var generation = 0
    /// The number of the last acknowledged record.
    private var sequence = 0
    /// The number of bytes of records that the snapshot lacks.
    private var pending = 0
    private var snapshotLength = 0
    /// True if the current snapshot is missing or must be replaced. Then a snapshot is due even if few bytes are
    /// pending.
    private var mustCompact = false
    private var compacting = CompactionPhase.none
    private let turn = Compaction.Turn()
    private var reserve: JournalReserve
    private var room = Room.enough
    /// The last condition that was sent to the journal's owner.
    var reportedCondition = JournalCondition.sound

    private enum Phase {
        case closed
        case ready(Writing)
        /// A sync failed, or refused records could not be removed, so the content on disk is unknown. Reading the file
        /// would only return the kernel's cache.
        case suspect(Writing, JournalError)
        /// A failure made it uncertain which records the files contain, so no change can be acknowledged any more.
        case lost(JournalError)
    }

    private enum CompactionPhase {
        case none
        /// A snapshot is being written. The value is the number of the pending bytes that it contains.
        case running(Int)
        /// The last snapshot could not be written. The next one is due when more bytes are pending than this number.
        case failed(Int, JournalError)
    }

    private enum Room {
        case enough
        /// The disk is full. `wanted` is the number of bytes of the refused append; 0 if that number is unknown.
        case short(JournalError, wanted: Int)
    }

    /// Changes that are written as one record: completely or not at all.
    package struct Entry: Sendable {
        var changes: [QueueChange]
        /// True for a result that the engine cannot get again, such as a server's response; false for a command of a
        /// user.
        var isFinding: Bool

        package init(_ changes: [QueueChange], isFinding: Bool = false) {
            self.changes = changes
            self.isFinding = isFinding
        }
    }

    private struct Writing {
        var file: any StateFile
        var generation: Int
        /// The number of bytes of the file that are known to be durable.
        var durable: Int
        /// The acknowledged bytes that are written after the durable ones, but not synced.
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
        try files.perform { () throws(SystemCallError) in
            // Records that a killed process wrote and did not sync are synced first, because new records follow them.
            // Some may stand in an earlier journal, if the last journal was created but never used.
            let name = JournalFile.name(generation)
            for earlier in outcome.journals where earlier != name {
                try files.open(earlier, for: .appending)?.synchronize()
            }
            let file = try files.openOrCreate(name)
            try file.synchronize()
            try files.synchronize()
            phase = .ready(Writing(file: file, generation: generation, durable: try file.length()))
        }
        mustCompact = !outcome.hasSnapshot
        // Writes the first snapshot of a new queue at once.
        if outcome.isNew { finish(try compaction(to: generation).run()) }
        reserve.prepare()
        return outcome.recovered
    }

    /// Writes the changes of users' commands, and returns a result for each element of `appends`. Each element is
    /// written completely or not at all. If `durably`, one sync makes all of them durable.
    package mutating func append(
        _ appends: [[QueueChange]], durably: Bool
    ) -> [Result<Void, JournalError>] {
        append(appends.map { Entry($0) }, durably: durably)
    }

    /// Writes each entry completely or not at all, and returns a result for each. If `durably`, one sync makes all
    /// durable. On a full disk, findings of the engine, such as a server's response, can use the reserved disk space.
    /// Commands of users cannot. Once the reserve was used, commands are refused until it is complete again.
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

    /// Removes the written bytes of records that are refused.
    private mutating func takeBack(_ writing: Writing) {
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

    /// Writes all acknowledged records, and `lines`, into new files after a failed sync. The old file is not written to
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
            // Refused records must not reappear once later ones are acknowledged.
            takeBack(writing)
            throw error
        }
        if let error = written.durabilityError {
            // The records are in a snapshot that may not survive a power cut, so no record may follow them.
            phase = .lost(error)
            throw error
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

    /// The current condition: whether the store accepts changes, and the error of the last snapshot if it failed.
    package var condition: JournalCondition {
        switch (phase, room, compacting) {
        case (.lost(let error), _, _), (.suspect(_, let error), _, _): .refusing(error)
        case (.closed, .short(let error, _), _), (.ready, .short(let error, _), _): .refusing(error)
        case (.closed, .enough, .failed(_, let error)), (.ready, .enough, .failed(_, let error)):
            .behind(error)
        case (.closed, .enough, _), (.ready, .enough, _): .sound
        }
    }

    /// Switches to new files after a failed sync, and checks the free disk space if the disk was full.
    package mutating func repair() {
        switch phase {
        case .suspect: try? write([], upTo: sequence, durably: true)
        case .ready: lookForRoom()
        case .closed, .lost: break
        }
    }

    /// Releases the reserve for a write that failed with `error`. Returns false if nothing could be released.
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

    /// True if a new snapshot must be written: the current one is missing or must be replaced, or too many bytes are
    /// pending. False while a snapshot is being written. After a failed attempt, it is true once enough further bytes
    /// are pending.
    package var isCompactionDue: Bool {
        switch compacting {
        case .running: false
        case .none: mustCompact || pending > largestJournal
        case .failed(let limit, _): pending > limit
        }
    }

    /// True if the snapshot is missing, must be replaced, or lacks some changes.
    package var isBehind: Bool { mustCompact || pending > 0 }

    /// True if opening or closing the journal must write a snapshot.
    var isDueAtEnds: Bool { options.snapshotsAtEnds ? isBehind : isCompactionDue }

    /// Makes every acknowledged record durable.
    mutating func synchronize() throws(JournalError) { try write([], upTo: sequence, durably: true) }

    /// The error of the last attempt to write a snapshot; nil if there is none.
    var compactionFailure: JournalError? {
        if case .failed(_, let error) = compacting { error } else { nil }
    }

    private var largestJournal: Int { max(options.compactionThreshold, snapshotLength / 2) }

    /// Switches to an empty journal. Later changes are appended to it while a compaction writes the earlier ones as a
    /// snapshot.
    ///
    /// - Returns: The compaction to run, whose result must be passed to `finish` or `fail`. Nil if a compaction runs
    ///   already, or if the snapshot contains all changes.
    package mutating func rotate() throws(JournalError) -> Compaction? {
        if case .running = compacting { return nil }
        do throws(JournalError) {
            // A later durable record must never exist without the earlier ones.
            try synchronize()
            guard isBehind else { return nil }
            // An empty journal is reused, so that failed compactions do not leave one journal each. A journal with the
            // number of the current snapshot is not reused.
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
        if let error = written.durabilityError { return fail(error) }
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
