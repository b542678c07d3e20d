import FerryFiles
import HTTPTypes

/// The resumable uploads of a receiver, by tus or the IETF draft. At most one request at a time uses an upload. A newer
/// request for the same upload stops the older ones. The store also removes expired uploads.
actor TusStore {
    static let unknown = Refusal(.notFound, "There is no such upload.")
    private static let gone = Refusal(.gone, "The upload has expired or was removed.")
    private static let full = Refusal(
        .serviceUnavailable, "Too many uploads are unfinished.", fields: [.retryAfter: "60"])

    /// The state of an upload. A removed upload stays for a time, so that requests for it get 410 instead of 404.
    private enum Slot {
        case free(TusUpload)
        case held(TusUpload, stop: @Sendable () -> Void, waiting: [Waiter])
        case gone(since: Date)
    }

    private struct Waiter {
        let stop: @Sendable () -> Void
        let proceed: CheckedContinuation<TusUpload?, Never>
    }

    nonisolated let uploadStore: UploadStore
    nonisolated let now: @Sendable () -> Date
    nonisolated let expiry: Duration
    private let limits: ReceiverConfiguration.Limits
    private let metrics: ReceiverMetrics
    private var slots: [String: Slot] = [:]
    /// The identifiers of the unfinished uploads, by client address.
    private var open: [String: Set<String>] = [:]
    /// The identifiers of the uploads whose bytes stopped arriving before the last byte.
    private var interrupted: Set<String> = []

    init(
        _ configuration: ReceiverConfiguration, _ uploadStore: UploadStore, _ metrics: ReceiverMetrics,
        now: @escaping @Sendable () -> Date
    ) throws(SystemCallError) {
        self.uploadStore = uploadStore
        expiry = configuration.expiry
        limits = configuration.limits
        self.metrics = metrics
        self.now = now
        for var upload in try uploadStore.restore() {
            if let status = try? uploadStore.open(upload.id).status() {
                upload.touched = max(upload.touched, status.modified)
                metrics.quota.restore(status.size + ReceiverMetrics.entryBytes)
                if status.size > 0 { interrupted.insert(upload.id) }
            }
            metrics.quota.restore(upload.infoBytes)
            slots[upload.id] = .free(upload)
            if upload.isOpen { open[upload.client ?? "", default: []].insert(upload.id) }
        }
    }

    nonisolated func expires(_ upload: TusUpload) -> Date {
        upload.touched.addingTimeInterval(TimeInterval(expiry.components.seconds))
    }

    /// Creates an upload, which no other request can use until the caller calls `release`.
    func create(
        length: Int, metadata: String?, resumable: ResumableTerms? = nil, client: String,
        stop: @escaping @Sendable () -> Void
    ) async throws -> TusUpload {
        try await makeRoom(for: client)
        let upload = TusUpload(
            id: UploadID.make(), length: length, metadata: metadata, state: .receiving, touched: now(),
            resumable: resumable, client: client)
        try metrics.quota.take(orThrow: upload.infoBytes)
        slots[upload.id] = .held(upload, stop: stop, waiting: [])
        open[client, default: []].insert(upload.id)
        do {
            try await offLoop { [uploadStore] in
                _ = try uploadStore.create(upload.id)
                try uploadStore.save(upload)
            }
        } catch {
            slots[upload.id] = nil
            close(upload)
            metrics.quota.giveBack(upload.infoBytes)
            throw error
        }
        return upload
    }

    func interrupt(_ id: String) { interrupted.insert(id) }

    /// Records that bytes of an upload arrive. Returns true if the upload was interrupted before.
    func resume(_ id: String) -> Bool { interrupted.remove(id) != nil }

    /// Stops an older request that uses the upload, waits until it has stored its received bytes, and returns the
    /// upload. No other request can use it until the caller calls `release`.
    /// - Parameter stop: Makes the caller release the upload, because a newer request needs it.
    func hold(_ id: String, stop: @escaping @Sendable () -> Void) async throws(Refusal) -> TusUpload {
        switch slots[id] {
        case nil: throw Self.unknown
        case .gone: throw Self.gone
        case .free(let upload):
            guard now() < expires(upload) else {
                await drop(upload)
                throw Self.gone
            }
            slots[id] = .held(upload, stop: stop, waiting: [])
            return upload
        case .held(let upload, let stopOlder, let waiting):
            stopOlder()
            let handed = await withCheckedContinuation { proceed in
                slots[id] = .held(
                    upload, stop: stopOlder, waiting: waiting + [Waiter(stop: stop, proceed: proceed)])
            }
            guard let handed else { throw Self.gone }
            return handed
        }
    }

    /// Ends the caller's use of an upload. The first request that waits for it gets it.
    /// - Parameter upload: The upload in its current state; nil if it was removed. All waiting requests fail then.
    func release(_ id: String, _ upload: TusUpload?) {
        guard case .held(let held, _, var waiting) = slots[id] else { return }
        guard var upload else {
            close(held)
            slots[id] = .gone(since: now())
            for waiter in waiting { waiter.proceed.resume(returning: nil) }
            return
        }
        upload.touched = now()
        if !upload.isOpen { close(upload) }
        guard !waiting.isEmpty else {
            slots[id] = .free(upload)
            return
        }
        let next = waiting.removeFirst()
        slots[id] = .held(upload, stop: next.stop, waiting: waiting)
        if !waiting.isEmpty { next.stop() }
        next.proceed.resume(returning: upload)
    }

    /// Removes uploads that no request has used for the time `expiry`, and forgets those removed as long ago.
    func expire() async {
        let due = now()
        let lifetime = TimeInterval(expiry.components.seconds)
        for id in slots.keys {
            switch slots[id] {  // looked up anew each time: other requests run while files are removed
            case .free(let upload) where expires(upload) <= due: await drop(upload)
            case .gone(let since) where since.addingTimeInterval(lifetime) <= due: slots[id] = nil
            case .free, .gone, .held, nil: continue
            }
        }
    }

    /// Makes room for a new upload: removes expired uploads, forgets old ones, and removes one without bytes.
    private func makeRoom(for client: String) async throws {
        if slots.count >= limits.uploads { await expire() }
        if slots.count >= limits.uploads { await forgetOldest() }
        if open[client, default: []].count >= limits.uploadsPerClient {
            await dropOldestEmpty(of: client)
        } else if slots.count >= limits.uploads,
            let greediest = open.max(by: { $0.value.count < $1.value.count })?.key
        {
            await dropOldestEmpty(of: greediest)
        }
        guard slots.count < limits.uploads, open[client, default: []].count < limits.uploadsPerClient
        else { throw Self.full }
    }

    /// Removes the client's unfinished upload without bytes that was unused for the longest time, if there is one.
    private func dropOldestEmpty(of client: String) async {
        let waiting = open[client, default: []].compactMap { id -> TusUpload? in
            if case .free(let upload) = slots[id] { upload } else { nil }
        }.sorted { $0.touched < $1.touched }
        let empty = try? await offLoop { [uploadStore] in
            waiting.first { (try? uploadStore.open($0.id).status().size) == 0 }
        }
        guard let empty, case .free(let upload) = slots[empty.id], upload == empty else { return }
        await drop(upload)
        slots[upload.id] = nil  // A `gone` entry would fill the table again.
    }

    private func close(_ upload: TusUpload) {
        let client = upload.client ?? ""
        open[client]?.remove(upload.id)
        if open[client]?.isEmpty == true { open[client] = nil }
        interrupted.remove(upload.id)
    }

    /// Forgets the oldest finished or removed uploads: a tenth of the table, but at least one.
    private func forgetOldest() async {
        let memories = slots.compactMap { id, slot -> (id: String, since: Date)? in
            switch slot {
            case .gone(let since): return (id, since)
            case .free(let upload):
                guard case .finished = upload.state else { return nil }
                return (id, upload.touched)
            case .held: return nil
            }
        }.sorted { $0.since < $1.since }
        for memory in memories.prefix(max(1, limits.uploads / 10)) {
            switch slots[memory.id] {
            case .free(let upload):
                slots[memory.id] = nil
                await discard(upload)
            case .gone: slots[memory.id] = nil
            case .held, nil: continue
            }
        }
    }

    private func drop(_ upload: TusUpload) async {
        slots[upload.id] = .gone(since: now())
        close(upload)
        await discard(upload)
        // The file of a finished upload stays. An event `expired` would look as if the file was lost.
        if upload.isOpen { metrics.note(.expired(id: upload.id, name: upload.name)) }
    }

    /// Removes the data file and the info file of an upload, and gives their bytes back to the quota.
    nonisolated func discard(_ upload: TusUpload) async {
        let freed = try? await offLoop { [uploadStore] in
            let size = try? uploadStore.open(upload.id).status().size
            try uploadStore.forget(upload.id)
            return upload.infoBytes + (size.map { $0 + ReceiverMetrics.entryBytes } ?? 0)
        }
        metrics.quota.giveBack(freed ?? 0)
    }
}
