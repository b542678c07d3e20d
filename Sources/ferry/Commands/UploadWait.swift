import FerryUploads

/// The uploads that `ferry wait` waits for.
struct UploadWait {
    enum End: Equatable {
        case ended(Upload)
        case removed(Upload)
        /// The upload waits for another one, which a user must retry or resume, or which is itself blocked.
        case blocked(BlockedUpload)
    }

    /// The selection of the user; nil once the first complete update has determined the chosen uploads.
    private var selection: UploadSelection?
    private var open: [Upload.ID: Upload] = [:]
    /// The other uploads of the queue that are not done, such as failed ones, which can block those in `open`. Nil if
    /// no chosen upload has to start after another one.
    private var others: [Upload.ID: Upload]?
    /// True if a chosen upload may have been blocked since the last look for such uploads.
    private var mayBlock = false
    private(set) var areAllDone = true

    /// Returns the done uploads with these numbers from the history, because the queue removes old done uploads.
    private let past: ([Upload.ID]) -> [Upload.ID: Upload]
    /// Returns whether all uploads of a batch in the history were done; nil if the history has no such batch.
    private let pastBatch: (String) -> Bool?

    init(
        _ selection: UploadSelection, past: @escaping ([Upload.ID]) -> [Upload.ID: Upload],
        pastBatch: @escaping (String) -> Bool? = { _ in nil }
    ) {
        self.selection = selection
        self.past = past
        self.pastBatch = pastBatch
    }

    var isOver: Bool { selection == nil && open.isEmpty }

    /// Processes an update of the queue. The first complete update determines the chosen uploads.
    ///
    /// - Returns: The chosen uploads that ended or were removed, sorted by number, followed by those that are blocked.
    /// - Throws: `CommandFailure` if a chosen upload or batch does not exist.
    mutating func take(_ update: QueueUpdate) throws(CommandFailure) -> [End] {
        let changed = Dictionary(uniqueKeysWithValues: update.changed.map { ($0.id, $0) })
        if let selection {
            // Until the first complete update, updates only tell whether the engine responds.
            guard update.isComplete else { return [] }
            open = try choose(selection, of: changed)
            if open.values.contains(where: { $0.start?.after.isEmpty == false }) { others = [:] }
            self.selection = nil
        }
        var ends: [End] = []
        let reported = update.isComplete ? Array(open.keys) : changed.keys + update.removed
        let gone = reported.filter { open[$0] != nil && changed[$0] == nil }
        let pastUploads = gone.isEmpty ? [:] : past(gone)
        for id in reported.sorted() {
            guard let last = open[id] else { continue }
            if let upload = changed[id] {
                open[id] = upload
                guard Self.hasEnded(upload) else { continue }
                if !upload.isDone { areAllDone = false }
                ends.append(.ended(upload))
            } else {
                let done = pastUploads[id]
                if done == nil { areAllDone = false }
                ends.append(done.map(End.ended) ?? .removed(last))
            }
            open[id] = nil
        }
        return ends + takeBlocked(update, changed)
    }

    /// Updates `others`. Moves the chosen uploads that are blocked now from `open` to `others`, and returns them.
    private mutating func takeBlocked(_ update: QueueUpdate, _ changed: [Upload.ID: Upload]) -> [End] {
        guard var others else { return [] }
        if update.isComplete { others = [:] }
        // A failed upload has left `open`. It must be in `others`, because it blocks the uploads that wait for it.
        for (id, upload) in changed where open[id] == nil { others[id] = upload.isDone ? nil : upload }
        for id in update.removed { others[id] = nil }
        defer { self.others = others }
        if update.isComplete || !update.removed.isEmpty
            || changed.values.contains(where: { Self.hasEnded($0) && !$0.isDone })
        {
            mayBlock = true
        }
        // The uploads of the next update may have changed like those for which they wait.
        guard mayBlock, !update.isContinued else { return [] }
        mayBlock = false
        let blocked = BlockedUpload.all(among: Array(others.values) + open.values).filter {
            open[$0.upload.id] != nil
        }
        for blocked in blocked { others[blocked.upload.id] = open.removeValue(forKey: blocked.upload.id) }
        if !blocked.isEmpty { areAllDone = false }
        return blocked.map(End.blocked)
    }

    private mutating func choose(
        _ selection: UploadSelection, of uploads: [Upload.ID: Upload]
    ) throws(CommandFailure) -> [Upload.ID: Upload] {
        let numbers: UploadNumbers
        switch selection {
        case .ids(let ids): numbers = UploadNumbers(ids.map { $0...$0 })
        case .numbers(let named): numbers = named
        case .batch(let name):
            let chosen = uploads.filter { $0.value.batch == name }
            if chosen.isEmpty {
                guard let wasDone = pastBatch(name) else {
                    throw CommandFailure(
                        usage: .unknownBatch(name, known: Set(uploads.values.compactMap(\.batch))))
                }
                areAllDone = wasDone
            }
            return chosen
        // Uploads that failed earlier count as not done: a script may delete the files after exit status 0.
        case .all, .failed, .done: return uploads.filter { !$0.value.isDone }
        }
        let (found, missing) = numbers.found(among: uploads.keys)
        let ids = Set(found)
        var chosen = uploads.filter { ids.contains($0.key) }
        let single = missing.filter { $0.lowerBound == $0.upperBound }.map(\.lowerBound)
        let done = single.isEmpty ? [:] : past(single)
        chosen.merge(done) { $1 }
        let unknown = missing.filter { $0.lowerBound != $0.upperBound || done[$0.lowerBound] == nil }
        guard unknown.isEmpty else {
            throw CommandFailure(usage: .unknownUploads(unknown.map(UploadNumbers.name)))
        }
        return chosen
    }

    private static func hasEnded(_ upload: Upload) -> Bool {
        switch upload.state {
        case .done, .failed, .held: true
        case .paused(let reasons): reasons.contains(.user)
        case .queued, .running, .waiting: false
        }
    }
}
