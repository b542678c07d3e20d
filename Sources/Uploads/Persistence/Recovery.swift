import struct Foundation.Date

/// What to do with a snapshot that is valid but not as the journal wrote it.
public enum EditedSnapshot: Hashable, Sendable {
    /// `load` throws `.edited`; nothing is changed.
    case refuse
    /// It is checked as a whole and taken over.
    case accept
    /// It is kept under another name; the previous snapshot and the journals are used.
    case setAside
}

/// Finds the state in the files. Files change only after everything has been read, and only so that a second
/// recovery, or one after an interrupted one, finds the same.
struct Recovery {
    let files: any StateFiles
    let edited: EditedSnapshot
    let now: Date

    struct Outcome {
        var recovered = Recovered()
        var unknown = UnknownContent()
        /// The number of the last journal, which need not exist yet.
        var generation: Int
        /// The number of the last record.
        var sequence: Int
        /// Bytes in journals that no snapshot holds.
        var pending: Int
        var snapshotLength: Int
        /// False if there is no current snapshot.
        var hasSnapshot: Bool
        /// True if there was nothing at all.
        var isNew: Bool
    }

    private enum Reading {
        case outcome(Outcome)
        case missing
        /// The snapshot is not as it was written.
        case damaged(JournalError)
    }

    func run() throws(JournalError) -> Outcome {
        try change { () throws(SystemCallError) in
            for name in try files.names() where name.hasPrefix(SnapshotFile.temporaryPrefix) {
                try files.remove(name)
            }
        }
        switch try read(SnapshotFile.current) {
        case .outcome(let outcome): return outcome
        case .missing: return try recoverWithoutSnapshot()
        case .damaged(let damage): return try recover(from: damage)
        }
    }

    private func recoverWithoutSnapshot() throws(JournalError) -> Outcome {
        switch try read(SnapshotFile.previous) {
        case .outcome(var outcome):
            outcome.recovered.notices.append(.usedPreviousSnapshot(reason: "it is missing", keptAs: nil))
            return outcome
        case .damaged(let damage): throw damage
        case .missing:
            // Only a queue that never had a snapshot still has its first journal alone.
            guard try files.journals(from: 1).first ?? 1 == 1 else {
                throw .damaged(path: path(SnapshotFile.current), byte: 0, reason: "it is missing")
            }
            var outcome = try read(Self.beginning)
            outcome.isNew = outcome.pending == 0
            return outcome
        }
    }

    private static let beginning = Base(generation: 1, sequence: 0, reader: nil)

    private func recover(from damage: JournalError) throws(JournalError) -> Outcome {
        var reason = damage.reason
        if let document = try validDocument() {
            switch edited {
            case .refuse: throw .edited(path: path(SnapshotFile.current))
            case .accept:
                try rewrite(document)
                guard case .outcome(var outcome) = try read(SnapshotFile.current) else { throw damage }
                outcome.recovered.notices.append(.acceptedEdit)
                return outcome
            case .setAside: reason = "it was edited outside"
            }
        }
        var outcome = try outcomeBefore(damage)
        let kept = "queue.\(UInt32.random(in: .min ... .max)).damaged.json"
        try change { () throws(SystemCallError) in
            try files.rename(SnapshotFile.current, to: kept)
            try files.synchronize()
        }
        outcome.hasSnapshot = false
        outcome.recovered.notices.append(.usedPreviousSnapshot(reason: reason, keptAs: kept))
        return outcome
    }

    private func outcomeBefore(_ damage: JournalError) throws(JournalError) -> Outcome {
        switch try read(SnapshotFile.previous) {
        case .outcome(let outcome): return outcome
        case .damaged: throw damage
        case .missing:
            // The first journal holds everything since the beginning, when the snapshot was empty.
            guard let first = try files.content(JournalFile.name(1)), !first.isEmpty else { throw damage }
            return try read(Self.beginning)
        }
    }

    private func validDocument() throws(JournalError) -> SnapshotDocument? {
        guard let content = try files.content(SnapshotFile.current) else { return nil }
        do throws(MalformedJSON) {
            return try SnapshotDocument(content)
        } catch {
            if error.isNewer { throw JournalError(error, path: path(SnapshotFile.current)) }
            return nil
        }
    }

    private func rewrite(_ document: SnapshotDocument) throws(JournalError) {
        let temporary = SnapshotFile.temporary()
        var writer = try SnapshotWriter(temporary, header: document.header, savedAt: now, in: files)
        for (upload, unknown) in document.records {
            var record = JSONWriter()
            record.upload(upload, unknown: unknown)
            try record.bytes.withUnsafeBufferPointer { bytes throws(JournalError) in try writer.append(bytes)
            }
        }
        _ = try writer.finish()
        try change { () throws(SystemCallError) in
            try files.rename(temporary, to: SnapshotFile.current)
            try files.synchronize()
        }
    }

    /// What the journals add to.
    private struct Base {
        var generation: Int
        var sequence: Int
        var reader: SnapshotReader?
    }

    private func read(_ name: String) throws(JournalError) -> Reading {
        do throws(JournalError) {
            guard let reader = try SnapshotReader(name, in: files) else { return .missing }
            let base = Base(
                generation: reader.header.generation, sequence: reader.header.lastSequence, reader: reader)
            var outcome = try read(base)
            outcome.hasSnapshot = name == SnapshotFile.current
            return .outcome(outcome)
        } catch {
            guard case .damaged(let file, _, _) = error else { throw error }
            if file == path(name) { return .damaged(error) }
            // A journal does not fit the snapshot; which of the two is wrong, the snapshot's checksum tells.
            if let damage = damage(of: name) { return .damaged(damage) }
            throw error
        }
    }

    private func damage(of name: String) -> JournalError? {
        do throws(JournalError) {
            var reader = try SnapshotReader(name, in: files)
            try reader?.readRecords { _, _, _ in }
            return nil
        } catch {
            return error
        }
    }

    private func read(_ base: Base) throws(JournalError) -> Outcome {
        var outcome = Outcome(
            generation: base.generation, sequence: base.sequence, pending: 0,
            snapshotLength: base.reader?.length ?? 0, hasSnapshot: false,
            isNew: false)
        var replay = JournalReplay(after: base.sequence, in: files.path)
        let tail = try self.replay(&replay, &outcome, of: base)
        try decode(replay, base, into: &outcome)
        if let tail {
            try cut(tail)
            outcome.recovered.notices.append(
                .tornTail(file: tail.file, bytes: tail.content.count - tail.length, keptAs: tail.keptAs))
        }
        return outcome
    }

    private struct Tail {
        var file: String
        var content: [UInt8]
        /// Bytes of whole records before it.
        var length: Int
        var keptAs: String
    }

    private func replay(
        _ replay: inout JournalReplay, _ outcome: inout Outcome, of base: Base
    ) throws(JournalError) -> Tail? {
        let journals = try files.journals(from: base.generation)
        if base.reader != nil, journals.isEmpty {
            let missing = JournalFile.name(base.generation)
            outcome.recovered.notices.append(.journalMissing(file: missing))
        }
        var contents: [(name: String, bytes: [UInt8])] = []
        for journal in journals {
            let name = JournalFile.name(journal)
            contents.append((name, try files.content(name) ?? []))
        }
        // A crash between making a journal and the first record in it leaves empty ones after the last record.
        let last = contents.lastIndex { !$0.bytes.isEmpty }
        var tail: Tail?
        for (index, (name, bytes)) in contents.enumerated() {
            let length = try replay.replay(bytes, of: name, isLast: index == last)
            outcome.pending += length
            if length < bytes.count {
                let keptAs = "\(name.dropLast(".jsonl".count)).\(length).torn"
                tail = Tail(file: name, content: bytes, length: length, keptAs: keptAs)
            }
        }
        outcome.generation = journals.last ?? base.generation
        outcome.sequence = replay.sequence
        return tail
    }

    private func decode(_ replay: JournalReplay, _ base: Base, into outcome: inout Outcome)
        throws(JournalError)
    {
        var header =
            base.reader?.header ?? SnapshotHeader(generation: base.generation, lastSequence: base.sequence)
        header.merge(replay)
        var uploads: [Upload] = []
        var unknown: [Upload.ID: UnknownMembers] = [:]
        var texts = RepeatedTexts()
        try replay.merge(into: base.reader) { origin, record throws(JournalError) in
            var cursor = JSONCursor(record)
            do throws(MalformedJSON) {
                let (upload, members) = try cursor.upload(texts: &texts)
                uploads.append(upload)
                if !members.isEmpty { unknown[upload.id] = members }
            } catch {
                throw JournalError(error, path: path(origin.file), offset: origin.offset)
            }
        }
        outcome.recovered.uploads = uploads
        outcome.recovered.settings = header.settings
        if !replay.skipped.isEmpty { outcome.recovered.notices.append(.skippedRecords(replay.skipped.count)) }
        outcome.unknown = UnknownContent(uploads: unknown, settings: header.unknownSettings)
    }

    private func cut(_ tail: Tail) throws(JournalError) {
        try change { () throws(SystemCallError) in
            // An interrupted recovery may have left a part of it.
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

    private func change(_ calls: () throws(SystemCallError) -> Void) throws(JournalError) {
        do throws(SystemCallError) {
            try calls()
        } catch {
            throw JournalError(error, in: files.path)
        }
    }
}

extension JournalError {
    /// The reason of damage, else the whole sentence.
    fileprivate var reason: String {
        if case .damaged(_, let byte, let reason) = self { "\(reason), byte \(byte)" } else { summary }
    }
}
