import Synchronization

/// Merges the current snapshot and the journals into a new snapshot, which replaces the current one. The newest record
/// of each upload is copied as bytes, with the members that a newer version of Ferry wrote.
package struct Compaction: Sendable {
    let files: any StateFiles
    /// The mutex against two compactions at once, which would overwrite each other's snapshot.
    let turn: Turn
    /// The generation (running number) of the new snapshot, and of the journal that receives all later changes.
    let generation: Int
    /// The number of the last journal record whose changes the new snapshot contains.
    let sequence: Int
    /// The content to use in place of a journal's file that is uncertain after a failed write or sync.
    var replacement: Replacement?
    let savedAt: Date

    final class Turn: Sendable {
        let mutex = Mutex(())
    }

    struct Replacement: Sendable {
        var generation: Int
        var content: [UInt8]
    }

    package struct Written: Sendable {
        var length: Int
        /// The error of the folder's sync, or of the removal of old journals, after the new snapshot became the current
        /// one. A power cut can then bring back the previous snapshot, whose journals still exist.
        package var durabilityError: JournalError?
    }

    /// Writes the new snapshot and makes it the current one, unless that has the same or a higher generation. After an
    /// error, the files still contain the whole queue.
    package func run() throws(JournalError) -> Written {
        try turn.mutex.withLock { _ throws(JournalError) in try runAlone() }
    }

    private func runAlone() throws(JournalError) -> Written {
        let current = try SnapshotReader(SnapshotFile.current, in: files)
        if let current, current.header.generation >= generation { return Written(length: current.length) }
        let base: SnapshotReader? =
            if let current { current } else { try SnapshotReader(SnapshotFile.previous, in: files) }
        let oldest = base?.header.generation ?? 1
        let replay = try replay(from: oldest, after: base?.header.lastSequence ?? 0)
        let temporary = SnapshotFile.temporary()
        do throws(JournalError) {
            let length = try write(temporary, from: base, replay)
            try files.perform { () throws(SystemCallError) in
                if current != nil { try keepPrevious() }
                try files.rename(temporary, to: SnapshotFile.current)
            }
            return Written(length: length, durabilityError: settle(oldest))
        } catch {
            try? files.remove(temporary)
            throw error
        }
    }

    private func replay(from oldest: Int, after sequence: Int) throws(JournalError) -> JournalReplay {
        var replay = JournalReplay(after: sequence, in: files.path)
        for journal in try files.journals(from: oldest) where journal < generation {
            let name = JournalFile.name(journal)
            let content =
                if let replacement, replacement.generation == journal {
                    replacement.content
                } else {
                    try files.content(name) ?? []
                }
            _ = try replay.replay(content, of: name, isLast: false)
        }
        guard replay.sequence == self.sequence else {
            throw .damaged(
                path: files.path, byte: 0,
                reason: "records end at \(replay.sequence) and not at \(self.sequence)")
        }
        return replay
    }

    private func write(
        _ name: String, from base: SnapshotReader?, _ replay: JournalReplay
    ) throws(JournalError) -> Int {
        var header = base?.header ?? SnapshotHeader(generation: generation, lastSequence: sequence)
        header.generation = generation
        header.lastSequence = sequence
        header.merge(replay)
        return try files.writeSnapshot(name, header, savedAt: savedAt) { writer throws(JournalError) in
            try replay.merge(into: base) { _, record throws(JournalError) in
                try writer.append { $0.raw(record) }
            }
        }
    }

    /// Makes the new names survive a power cut, then removes the journals whose generation is below `oldest`.
    private func settle(_ oldest: Int) -> JournalError? {
        do throws(SystemCallError) {
            try files.synchronize()
            let journals = try files.names().filter {
                JournalFile.generation($0).map { $0 < oldest } ?? false
            }
            for journal in journals { try files.remove(journal) }
            return nil
        } catch {
            return JournalError(error, in: files.path)
        }
    }

    private func keepPrevious() throws(SystemCallError) {
        if try files.isSame(SnapshotFile.current, SnapshotFile.previous) { return }
        let second = SnapshotFile.temporary()
        do throws(SystemCallError) {
            try files.link(SnapshotFile.current, as: second)
        } catch  where error.isLinkUnsupported {
            // Until the next rename there is no current snapshot. Recovery then uses the previous one.
            try files.rename(SnapshotFile.current, to: SnapshotFile.previous)
            return
        }
        try files.rename(second, to: SnapshotFile.previous)
    }
}

extension SnapshotHeader {
    mutating func merge(_ replay: JournalReplay) {
        if let changed = replay.settings {
            let nextID = max(settings.nextID, changed.nextID)
            settings = changed
            settings.nextID = nextID
            unknownSettings = replay.unknownSettings
        }
        if let greatest = replay.greatestID { settings.reserve(greatest) }
        for place in replay.skipped {
            if !skipped.isEmpty { skipped.append(UInt8(ascii: ",")) }
            replay.withBytes(of: place) { skipped.append(contentsOf: $0) }
        }
    }
}

extension StateFiles {
    /// Returns the generations (running numbers) of the existing journals from `oldest` on, in ascending order.
    func journals(from oldest: Int) throws(JournalError) -> [Int] {
        try perform { () throws(SystemCallError) in
            try names().compactMap(JournalFile.generation).filter { $0 >= oldest }.sorted()
        }
    }

    func content(_ name: String) throws(JournalError) -> [UInt8]? {
        try perform { () throws(SystemCallError) in try open(name, for: .reading)?.content() }
    }
}
