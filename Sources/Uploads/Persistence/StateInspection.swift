package import FerryProtocols

/// A reader of a queue's files, which another process can change at the same time.
package struct StateInspection: Sendable {
    /// The maximum number of readings, if another process changes the files during each.
    private static let attempts = 8

    private let files: any StateFiles
    private let directory: DirectoryFiles?

    package init(_ directory: StateDirectory) {
        files = directory.files
        self.directory = directory.files
    }

    init(files: any StateFiles) {
        self.files = files
        directory = nil
    }

    /// Returns the total size of the snapshots and journals in bytes, without reading them.
    package func size() throws(JournalError) -> ByteCount {
        var sum: ByteCount = 0
        for name in try names() where Self.isQueue(name) { sum += ByteCount(try length(of: name)) }
        return sum
    }

    /// Returns the queue that Ferry would load if it started now, or the part of it that can be read.
    package func read() throws(JournalError) -> StateReading {
        try repeated(readOnce) { $0.problem == nil }
    }

    /// Checks every file of the queue, including the previous snapshot.
    package func verify() throws(JournalError) -> StateReport {
        try repeated(verifyOnce) { $0.problems.isEmpty }
    }

    /// Calls `body` until `isFinal`, until no other process changed the files meanwhile, or `attempts` times.
    private func repeated<Value>(
        _ body: () throws(JournalError) -> Value, isFinal: (Value) -> Bool
    ) throws(JournalError) -> Value {
        for _ in 1..<Self.attempts {
            let before = try signature()
            do throws(JournalError) {
                let value = try body()
                if isFinal(value) { return value }
                guard try signature() != before else { return value }
            } catch {
                guard try signature() != before else { throw error }
            }
        }
        return try body()
    }

    private func signature() throws(JournalError) -> [String: Int] {
        var lengths: [String: Int] = [:]
        for name in try names() where Self.isQueue(name) { lengths[name] = try length(of: name) }
        if let snapshot = try? SnapshotReader(SnapshotFile.current, in: files, readsNewer: true) {
            lengths["generation"] = snapshot.header.generation
        }
        return lengths
    }

    private func readOnce() throws(JournalError) -> StateReading {
        var problem: JournalError?
        let overlay = OverlayFiles(files)
        var readsNewer = false
        // Each turn handles one problem: a newer format, the current snapshot, or a journal.
        for _ in 0..<64 {
            do throws(JournalError) {
                let recovery = Recovery(files: overlay, edited: .accept, now: Date(), readsNewer: readsNewer)
                let outcome = try recovery.run()
                return StateReading(
                    recovered: outcome.recovered, problem: problem, notUnderstood: outcome.notUnderstood,
                    header: outcome.header, unknown: outcome.unknown)
            } catch {
                problem = problem ?? error
                switch error {
                case .newerFormat where !readsNewer: readsNewer = true
                case .olderCopy(let file, _, _, hasNewer: true):
                    guard try drop(file, from: 0, in: overlay) else { throw error }
                case .damaged(let file, let byte, _):
                    guard try drop(file, from: byte, in: overlay) else { throw error }
                default: throw error
                }
            }
        }
        throw problem ?? .notOpen
    }

    /// Removes from `overlay` the current snapshot, or the end of a journal. Returns false if that is useless.
    private func drop(_ path: String, from byte: Int, in overlay: OverlayFiles) throws(JournalError) -> Bool {
        let name = String(path.dropFirst(files.path.count + 1))
        return try files.perform { () throws(SystemCallError) in
            if name == SnapshotFile.current {
                // The first journal contains all changes to the initially empty queue.
                let first = try overlay.open(JournalFile.name(1), for: .reading)?.content() ?? []
                let hasPrevious = try overlay.open(SnapshotFile.previous, for: .reading) != nil
                guard !first.isEmpty || hasPrevious, try overlay.open(name, for: .reading) != nil else {
                    return false
                }
                try overlay.remove(name)
                return true
            }
            guard let generation = JournalFile.generation(name),
                let file = try overlay.open(name, for: .appending)
            else { return false }
            try file.truncate(to: byte)
            for later in try overlay.names()
            where JournalFile.generation(later).map({ $0 > generation }) ?? false {
                try overlay.remove(later)
            }
            return true
        }
    }

    private func verifyOnce() throws(JournalError) -> StateReport {
        var report = StateReport()
        report.holder = try directory.flatMap { files throws(JournalError) in
            try StateLock.holder(in: files)
        }
        for name in try names().sorted() where Self.isQueue(name) || Self.isLeftOver(name) {
            let file = StateReport.File(name: name, bytes: try length(of: name))
            if Self.isLeftOver(name) { report.leftOver.append(file) } else { report.files.append(file) }
        }
        guard !report.files.isEmpty else { return report }
        do throws(JournalError) {
            let outcome = try Recovery(files: OverlayFiles(files), edited: .refuse, now: Date()).run()
            report.generation = outcome.header.generation
            report.pendingBytes = outcome.pending
            for upload in outcome.recovered.uploads { report.states[upload.state.kind, default: 0] += 1 }
            report.notices = outcome.recovered.notices
            report.problems += report.notices.filter(\.isDamage).map(\.summary)
            try compareWithPrevious(outcome.recovered, &report)
        } catch {
            report.problems.append(error.summary)
            report.hint = error.hint
        }
        return report
    }

    /// Adds a problem to `report` if the previous snapshot leads to other uploads, or to none.
    private func compareWithPrevious(_ recovered: Recovered, _ report: inout StateReport) throws(JournalError)
    {
        let overlay = OverlayFiles(files)
        let hasPrevious = try files.perform { () throws(SystemCallError) in
            guard try overlay.open(SnapshotFile.previous, for: .reading) != nil,
                try overlay.open(SnapshotFile.current, for: .reading) != nil,
                // After a crash between the two renames of a compaction, both names may refer to one file.
                try !overlay.isSame(SnapshotFile.current, SnapshotFile.previous)
            else { return false }
            try overlay.remove(SnapshotFile.current)
            return true
        }
        guard hasPrevious else { return }
        do throws(JournalError) {
            let other = try Recovery(files: overlay, edited: .refuse, now: Date()).run().recovered
            if other.uploads != recovered.uploads {
                report.problems.append(
                    "queue.prev.json and the journals lead to another queue than queue.json")
            }
        } catch {
            report.problems.append("if queue.json were lost: \(error.summary)")
        }
    }

    private func names() throws(JournalError) -> [String] {
        try files.perform { () throws(SystemCallError) in try files.names() }
    }

    private func length(of name: String) throws(JournalError) -> Int {
        try files.perform { () throws(SystemCallError) in
            try files.open(name, for: .reading)?.length() ?? 0
        }
    }

    private static func isQueue(_ name: String) -> Bool {
        SnapshotFile.names.contains(name) || JournalFile.generation(name) != nil
    }

    private static func isLeftOver(_ name: String) -> Bool {
        name.hasPrefix(SnapshotFile.temporaryPrefix) || name.hasSuffix(".torn")
            || (name.hasPrefix("queue.") && name.hasSuffix(".damaged.json"))
    }
}

extension RecoveryNotice {
    /// True if a file was damaged or missing. An incomplete last record is usual after a crash.
    fileprivate var isDamage: Bool {
        switch self {
        case .usedPreviousSnapshot, .journalMissing: true
        case .tornTail, .acceptedEdit, .editOverruled, .skippedRecords: false
        }
    }
}
