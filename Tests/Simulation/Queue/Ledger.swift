import FerryProtocols
import FerryStateSimulation
package import FerryUploads

/// The changes that were written in one life of the engine. They decide which contents the next life may find.
package struct Ledger {
    enum Outcome { case underWay, acknowledged, refused }

    /// The way a life ended.
    package enum Ending: String { case kill, powerCut }

    private struct Entry {
        var changes: [QueueChange]
        var outcome = Outcome.underWay
    }

    package struct Content: Equatable {
        package var uploads: [Upload.ID: Upload] = [:]
        var concurrency: Int?
        var limits: [LimitScope: Bandwidth] = [:]

        init() {}

        package init(_ recovered: Recovered) {
            for upload in recovered.uploads { uploads[upload.id] = upload }
            take(recovered.settings)
        }

        mutating func apply(_ changes: [QueueChange]) {
            for change in changes {
                if case .settings(let settings) = change { take(settings) }
                uploads.apply(change)
            }
        }

        private mutating func take(_ settings: QueueSettings) {
            concurrency = settings.concurrency
            limits = settings.limits
        }
    }

    private var base = Content()
    private var entries: [Entry] = []
    /// The number of entries that a kill must not lose, and the number that a power cut must not lose.
    private var afterKill = 0
    private var afterPowerCut = 0
    /// The upload addresses at servers that are durably on disk.
    package private(set) var durableAddresses: Set<String> = []
    /// True if the disk failed such that refused changes can return, after those that were accepted.
    package var mayKeepRefused = false

    package init() {}

    package init(from found: Content) {
        base = found
        for upload in found.uploads.values { note(upload) }
    }

    /// Adds an entry.
    ///
    /// - Returns: The number of the entry, for `settle`.
    package mutating func begin(_ changes: [QueueChange]) -> Int {
        entries.append(Entry(changes: changes))
        return entries.count - 1
    }

    package mutating func settle(_ number: Int, acknowledged: Bool, durably: Bool) {
        entries[number].outcome = acknowledged ? .acknowledged : .refused
        guard acknowledged else { return }
        afterKill = max(afterKill, number + 1)
        guard durably else { return }
        for entry in entries[afterPowerCut..<max(afterPowerCut, number + 1)]
        where entry.outcome == .acknowledged {
            for case .set(let upload) in entry.changes { note(upload) }
        }
        afterPowerCut = max(afterPowerCut, number + 1)
    }

    private mutating func note(_ upload: Upload) {
        if let url = upload.resource?.url { durableAddresses.insert(url) }
    }

    /// The content after all acknowledged changes.
    var accepted: Content {
        entries.reduce(into: base) { content, entry in
            if entry.outcome == .acknowledged { content.apply(entry.changes) }
        }
    }

    /// Returns true if `found` is the result of the changes up to some entry. Entries that must not be lost come before
    /// it.
    package func explains(_ found: Content, after ending: Ending) -> Bool {
        let least = ending == .kill ? afterKill : afterPowerCut
        return explains(found, from: least, withRefused: false)
            || mayKeepRefused && explains(found, from: least, withRefused: true)
    }

    private func explains(_ found: Content, from least: Int, withRefused: Bool) -> Bool {
        var content = base
        for entry in entries[..<least] where entry.outcome == .acknowledged { content.apply(entry.changes) }
        if content == found { return true }
        for entry in entries[least...] {
            guard entry.outcome != .refused || withRefused else { continue }
            content.apply(entry.changes)
            if content == found { return true }
        }
        return false
    }
}
