package import FerryProtocols
package import FerryTransfer
package import FerryUploads
import Foundation

extension Upload {
    package static func make(
        _ id: ID = 1, rank: Int64? = nil, path: LocalPath = LocalPath("/data/a.bin"), size: ByteCount = 10,
        state: State = .queued, resource: UploadResource? = nil, url: String = "https://example.com/files"
    ) -> Upload {
        Upload(
            id: id, rank: rank ?? Int64(id), path: path,
            identity: FileIdentity(device: 1, inode: 2, size: size, modified: 3, changed: 4),
            target: Target(destination: "photos", url: url, protocolName: "tus", name: "a.bin"), state: state,
            resource: resource, added: Date(timeIntervalSince1970: 1_760_000_000))
    }
}

extension FileJournal.Options {
    /// Makes options for tests. A small threshold makes a compaction due after a few records.
    package static func make(
        threshold: Int = 1 << 20, edited: EditedSnapshot = .refuse, maximumVolatile: Int = 1 << 20,
        reserve: Int = 0
    ) -> FileJournal.Options {
        var options = FileJournal.Options()
        options.compactionThreshold = threshold
        options.editedSnapshot = edited
        options.maximumVolatile = maximumVolatile
        options.reserve = reserve
        options.now = { Date(timeIntervalSince1970: 1_760_000_000) }
        return options
    }
}

extension JournalStore {
    /// Opens a store and loads its queue.
    package static func opened(
        _ files: any StateFiles, options: FileJournal.Options = .make()
    ) throws(JournalError) -> (store: JournalStore, recovered: Recovered) {
        var store = JournalStore(files: files, options: options)
        let recovered = try store.load()
        return (store, recovered)
    }

    package mutating func append(_ changes: [QueueChange], durably: Bool = true) throws(JournalError) {
        for result in append([changes], durably: durably) { try result.get() }
    }

    /// Appends the changes of users' commands.
    package mutating func append(
        _ appends: [[QueueChange]], durably: Bool
    ) -> [Result<Void, JournalError>] {
        append(appends.map { Entry($0) }, durably: durably)
    }

    /// Writes a snapshot at once.
    package mutating func compact() throws(JournalError) {
        guard let compaction = try rotate() else { return }
        do throws(JournalError) {
            finish(try compaction.run())
        } catch {
            fail(error)
            throw error
        }
    }
}

/// The queue that tests expect after changes.
package struct ExpectedQueue: Equatable {
    package var uploads: [Upload.ID: Upload] = [:]

    package init(_ uploads: [Upload] = []) {
        self.uploads = Dictionary(uniqueKeysWithValues: uploads.map { ($0.id, $0) })
    }

    package func applying(_ changes: [QueueChange]) -> ExpectedQueue {
        var result = self
        for change in changes { result.uploads.apply(change) }
        return result
    }
}

extension [Upload.ID: Upload] {
    /// Applies a change, except of the settings.
    package mutating func apply(_ change: QueueChange) {
        switch change {
        case .set(let upload): self[upload.id] = upload
        case .setState(let ids, let state): for id in ids { self[id]?.state = state }
        case .remove(let id): self[id] = nil
        case .removeAll(let ids): for id in ids { self[id] = nil }
        case .settings: break
        }
    }
}

extension QueueChange {
    /// The change in a few words, for the log of a simulation.
    package var text: String {
        switch self {
        case .set(let upload): "\(upload.id) \(upload.state.kind) \(upload.confirmed)"
        case .setState(let ids, let state): "\(ids) \(state.kind)"
        case .remove(let id): "remove \(id)"
        case .removeAll(let ids): "remove \(ids)"
        case .settings: "settings"
        }
    }
}
