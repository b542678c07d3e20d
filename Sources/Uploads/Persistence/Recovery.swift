import FerryProtocols

/// The treatment of a snapshot that a user has edited. Such a snapshot is valid, but its checksum is wrong.
public enum EditedSnapshot: Hashable, Sendable {
    /// `Journal.load` throws `.edited`, and leaves the snapshot and the journals unchanged.
    case refuse
    /// Recovery checks the whole snapshot and uses it.
    case accept
    /// Recovery renames the edited snapshot, and loads the queue from the previous one and the journals. It does the
    /// same with a snapshot for which it otherwise throws `olderCopy`.
    case setAside
}

/// Loads a queue from its files, and repairs them if necessary. All are read before the first is changed, apart from
/// temporary files. So after an interrupted recovery, the next one finds the same content.
struct Recovery {
    let files: any StateFiles
    let edited: EditedSnapshot
    let now: Date
    /// True to leave out records that only a newer version of Ferry understands, which a caller that writes would lose.
    var readsNewer = false

    struct Outcome {
        var recovered = Recovered()
        var unknown = UnknownContent()
        /// The generation (running number) of the last journal, or of the first one if there is none.
        var generation: Int
        var sequence: Int
        /// The names of the journals with records that the snapshot does not contain.
        var journals: [String] = []
        var pending = 0
        var snapshotLength: Int
        /// True if there is a current snapshot that need not be replaced.
        var hasSnapshot = false
        /// True if the queue is new: there is no snapshot, and no journal contains a record.
        var isNew = false
        /// The header of the loaded snapshot, with the newest settings and the skipped operations of the journals.
        var header: SnapshotHeader
        /// The number of records that were left out because only a newer version of Ferry understands them.
        var notUnderstood = 0
        /// The ids of the uploads that the journals change or remove, if they were asked for (`listsChanged`), and the
        /// changes of ranges.
        var changed: Set<Upload.ID> = []
        var ranges = RangeChanges()

        init(_ reader: SnapshotReader?) {
            header = reader?.header ?? SnapshotHeader(generation: 1, lastSequence: 0)
            (generation, sequence) = (header.generation, header.lastSequence)
            snapshotLength = reader?.length ?? 0
        }
    }

    private enum Reading<Content> {
        case content(Content)
        case missing
        /// The content of the snapshot is not what Ferry wrote: it is damaged, or a user edited it.
        case damaged(JournalError)
    }

    func run() throws(JournalError) -> Outcome {
        try refuseNewer()
        try files.perform { () throws(SystemCallError) in
            for name in try files.names() where name.hasPrefix(SnapshotFile.temporaryPrefix) {
                try files.remove(name)
            }
        }
        if let older = try olderCopy() {
            guard edited == .setAside else { throw older }
            return try setAside(because: older)
        }
        switch try read(SnapshotFile.current) {
        case .content(let outcome): return outcome
        case .missing: return try recoverWithoutSnapshot()
        case .damaged(let damage): return try recover(from: damage)
        }
    }

    /// Throws `.newerFormat` if only a newer version of Ferry can read the current snapshot, before a file is changed.
    private func refuseNewer() throws(JournalError) {
        do throws(JournalError) {
            _ = try SnapshotReader(SnapshotFile.current, in: files, readsNewer: readsNewer)
        } catch {
            if case .newerFormat = error { throw error }
        }
    }

    /// Returns an error if the current snapshot is older than other files, for example a restored copy: the previous one
    /// has a higher generation, or only a later journal exists. Ferry would otherwise use an old state of the queue.
    private func olderCopy() throws(JournalError) -> JournalError? {
        guard let generation = try generationOfCurrent() else { return nil }
        let previous = self.generation(of: SnapshotFile.previous)
        let journals = try files.journals(from: 1)
        let isBeforeJournals = !journals.contains(generation) && journals.contains { $0 > generation }
        let hasNewer = previous.map { $0 > generation } ?? false
        guard hasNewer || isBeforeJournals else { return nil }
        let newest = max(previous ?? generation, journals.max() ?? generation)
        return .olderCopy(
            path: path(SnapshotFile.current), generation: generation, newest: newest, hasNewer: hasNewer)
    }

    /// Returns the generation (running number) in the first line of a snapshot; nil if it cannot be read.
    private func generation(of name: String) -> Int? {
        (try? SnapshotReader(name, in: files, readsNewer: readsNewer))?.header.generation
    }

    private func generationOfCurrent() throws(JournalError) -> Int? {
        if let generation = self.generation(of: SnapshotFile.current) { return generation }
        // An editor may have changed the layout of the snapshot.
        guard let content = try files.content(SnapshotFile.current) else { return nil }
        return (try? SnapshotDocument(content))?.header.generation
    }

    private func recoverWithoutSnapshot() throws(JournalError) -> Outcome {
        switch try read(SnapshotFile.previous) {
        case .content(var outcome):
            outcome.recovered.notices.append(.usedPreviousSnapshot(reason: "it is missing", keptAs: nil))
            return outcome
        case .damaged(let damage): throw damage
        case .missing:
            // Without a snapshot, the journals contain the whole queue only if the first one still exists.
            guard try files.journals(from: 1).first ?? 1 == 1 else {
                throw .damaged(path: path(SnapshotFile.current), byte: 0, reason: "it is missing")
            }
            var outcome = try outcome(of: nil)
            outcome.isNew = outcome.pending == 0
            return outcome
        }
    }

    private func recover(from damage: JournalError) throws(JournalError) -> Outcome {
        var damage = damage
        switch try examine() {
        case .content(let document):
            switch edited {
            case .refuse: throw .edited(path: path(SnapshotFile.current))
            case .accept: return try takeOver(document)
            case .setAside:
                damage = .damaged(path: path(SnapshotFile.current), byte: 0, reason: "it was edited outside")
            }
        case .damaged(let issue):
            // With `--accept-edited`, the user wants to use the edited snapshot. So the user must see the error in it.
            if edited == .accept { throw issue }
            damage = issue
        case .missing: break
        }
        return try setAside(because: damage)
    }

    /// Recovers the queue from the previous snapshot, if there is one, and the journals. Renames the current snapshot.
    private func setAside(because damage: JournalError) throws(JournalError) -> Outcome {
        var outcome = try outcomeBefore(damage)
        let kept = "queue.\(UInt32.random(in: .min ... .max)).damaged.json"
        try files.perform { () throws(SystemCallError) in
            try files.rename(SnapshotFile.current, to: kept)
            try files.synchronize()
        }
        outcome.hasSnapshot = false
        outcome.recovered.notices.append(.usedPreviousSnapshot(reason: damage.reason, keptAs: kept))
        return outcome
    }

    private func outcomeBefore(_ damage: JournalError) throws(JournalError) -> Outcome {
        switch try read(SnapshotFile.previous) {
        case .content(let outcome): return outcome
        case .damaged: throw damage
        case .missing:
            // The first journal contains all changes to the initially empty queue, so no snapshot is needed.
            guard let first = try files.content(JournalFile.name(1)), !first.isEmpty else { throw damage }
            return try outcome(of: nil)
        }
    }

    private func examine() throws(JournalError) -> Reading<SnapshotDocument> {
        guard let content = try files.content(SnapshotFile.current) else { return .missing }
        do throws(MalformedJSON) {
            return .content(try SnapshotDocument(content))
        } catch {
            let issue = JournalError(error, path: path(SnapshotFile.current))
            if error.kind == .newer { throw issue }
            return .damaged(issue)
        }
    }

    /// Makes an edited snapshot the current one, after a file in Ferry's layout was read back with the journals.
    private func takeOver(_ document: SnapshotDocument) throws(JournalError) -> Outcome {
        let journals = try files.journals(from: 1)
        guard journals.isEmpty || journals.contains(document.header.generation) else {
            throw misfit("there is no \(JournalFile.name(document.header.generation))")
        }
        let temporary = SnapshotFile.temporary()
        do throws(JournalError) {
            _ = try files.writeSnapshot(temporary, document.header, savedAt: now) {
                writer throws(JournalError) in
                for (upload, unknown) in document.records {
                    try writer.append { $0.upload(upload, unknown: unknown) }
                }
            }
            guard case .content(var outcome) = try read(temporary, listsChanged: true) else {
                throw .damaged(path: path(temporary), byte: 0, reason: "it cannot be read back")
            }
            try files.perform { () throws(SystemCallError) in
                try files.rename(temporary, to: SnapshotFile.current)
                try files.synchronize()
            }
            // The previous snapshot lacks the edit. So another is due, and the edited one becomes the previous one.
            outcome.hasSnapshot = false
            outcome.recovered.notices.append(.acceptedEdit)
            let changed = outcome.changed.union(
                document.records.lazy.map { $0.upload.id }.filter(outcome.ranges.affects))
            if !changed.isEmpty { outcome.recovered.notices.append(.editOverruled(changed.sorted())) }
            return outcome
        } catch {
            try? files.remove(temporary)
            if case .damaged(let file, _, let reason) = error, reason.hasSuffix(JournalReplay.missingRecord) {
                throw misfit("\(file): \(reason)")
            }
            throw error
        }
    }

    private func misfit(_ reason: String) -> JournalError {
        .damaged(
            path: path(SnapshotFile.current), byte: 0,
            reason: "generation and lastSequence must stay as they were written (\(reason))")
    }

    private func read(_ name: String, listsChanged: Bool = false) throws(JournalError) -> Reading<Outcome> {
        do throws(JournalError) {
            guard let reader = try SnapshotReader(name, in: files, readsNewer: readsNewer) else {
                return .missing
            }
            var outcome = try outcome(of: reader, listsChanged: listsChanged)
            outcome.hasSnapshot = name == SnapshotFile.current
            return .content(outcome)
        } catch {
            guard case .damaged(let file, _, _) = error else { throw error }
            if file == path(name) { return .damaged(error) }
            // A journal does not match the snapshot. The snapshot's checksum shows whether the snapshot is damaged.
            if let damage = damage(of: name) { return .damaged(damage) }
            throw error
        }
    }

    private func damage(of name: String) -> JournalError? {
        do throws(JournalError) {
            var reader = try SnapshotReader(name, in: files, readsNewer: readsNewer)
            try reader?.readRecords { _, _, _ in }
            return nil
        } catch {
            return error
        }
    }

    /// Applies the changes in the journals to a snapshot, or to an empty queue if `reader` is nil.
    private func outcome(
        of reader: SnapshotReader?, listsChanged: Bool = false
    ) throws(JournalError) -> Outcome {
        var outcome = Outcome(reader)
        var replay = JournalReplay(after: outcome.sequence, in: files.path, readsNewer: readsNewer)
        let tail = try self.replay(&replay, &outcome, hasSnapshot: reader != nil)
        try decode(replay, reader, into: &outcome)
        if listsChanged { (outcome.changed, outcome.ranges) = (Set(replay.latest.keys), replay.ranges) }
        if let tail {
            try cut(tail)
            outcome.recovered.notices.append(
                .tornTail(file: tail.file, bytes: tail.content.count - tail.length, keptAs: tail.keptAs))
        }
        return outcome
    }

    /// A journal that ends with an incomplete record, because a crash interrupted a write.
    private struct Tail {
        var file: String
        var content: [UInt8]
        /// The number of bytes of complete records, to which `cut` shortens the file.
        var length: Int
        var keptAs: String
    }

    private func replay(
        _ replay: inout JournalReplay, _ outcome: inout Outcome, hasSnapshot: Bool
    ) throws(JournalError) -> Tail? {
        let journals = try files.journals(from: outcome.generation)
        if hasSnapshot, journals.isEmpty {
            outcome.recovered.notices.append(.journalMissing(file: JournalFile.name(outcome.generation)))
        }
        var contents: [(name: String, bytes: [UInt8])] = []
        for journal in journals {
            let name = JournalFile.name(journal)
            contents.append((name, try files.content(name) ?? []))
        }
        // A crash between creating a journal and its first record leaves empty journals after the last record.
        let last = contents.lastIndex { !$0.bytes.isEmpty }
        var tail: Tail?
        for (index, (name, bytes)) in contents.enumerated() {
            let length = try replay.replay(bytes, of: name, isLast: index == last)
            outcome.pending += length
            if length > 0 { outcome.journals.append(name) }
            if length < bytes.count {
                let keptAs = "\(name.dropLast(".jsonl".count)).\(length).torn"
                tail = Tail(file: name, content: bytes, length: length, keptAs: keptAs)
            }
        }
        outcome.generation = journals.last ?? outcome.generation
        outcome.sequence = replay.sequence
        return tail
    }

    private func decode(
        _ replay: JournalReplay, _ reader: SnapshotReader?, into outcome: inout Outcome
    ) throws(JournalError) {
        outcome.header.merge(replay)
        let decoder = RecordDecoder(
            in: files.path, length: outcome.snapshotLength + outcome.pending, readsNewer: readsNewer)
        do throws(JournalError) {
            try replay.merge(into: reader) { origin, record throws(JournalError) in
                decoder.take(record, from: origin)
            }
        } catch {
            // An error in an earlier record is more useful, so it is thrown first.
            try decoder.finish()
            throw error
        }
        try decoder.finish()
        outcome.notUnderstood = replay.notUnderstood + decoder.notUnderstood
        outcome.recovered.uploads = decoder.uploads
        outcome.recovered.settings = outcome.header.settings
        if !replay.skipped.isEmpty { outcome.recovered.notices.append(.skippedRecords(replay.skipped.count)) }
        outcome.unknown = UnknownContent(uploads: decoder.unknown, settings: outcome.header.unknownSettings)
    }

    private func cut(_ tail: Tail) throws(JournalError) {
        try files.perform { () throws(SystemCallError) in
            // An interrupted recovery may have left an incomplete copy of the tail.
            try files.remove(tail.keptAs)
            let kept = try files.create(tail.keptAs)
            try kept.append(Array(tail.content[tail.length...]))
            try kept.synchronize()
            try files.synchronize()
            let journal = try files.open(tail.file, for: .appending)
            try journal?.truncate(to: tail.length)
            try journal?.synchronize()
        }
    }

    private func path(_ name: String) -> String { files.path + "/" + name }
}

extension JournalError {
    /// The damage with its byte position if that is not 0; for other errors the summary.
    fileprivate var reason: String {
        switch self {
        case .damaged(_, byte: 0, let reason): reason
        case .damaged(_, let byte, let reason): "\(reason), byte \(byte)"
        default: summary
        }
    }
}
