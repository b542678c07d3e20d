import FerryConnectivity
import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import Foundation
import Synchronization

@testable import FerryUploads

/// A journal in memory that can refuse appends.
final class MemoryJournal: Journal {
    private struct State {
        var uploads: [Upload.ID: Upload] = [:]
        var settings = QueueSettings()
        var durable: Set<Upload.ID> = []
        var refusal: JournalError?
        var refuses: @Sendable ([QueueChange]) -> Bool = { _ in true }
        var gate: Gate?
        var isClosed = false
    }

    private let state: Mutex<State>

    init(_ uploads: [Upload] = []) {
        var state = State()
        for upload in uploads { state.uploads[upload.id] = upload }
        state.settings.nextID = (uploads.map(\.id).max() ?? 0) + 1
        self.state = Mutex(state)
    }

    var uploads: [Upload.ID: Upload] { state.withLock { $0.uploads } }
    var settings: QueueSettings { state.withLock { $0.settings } }
    /// The uploads whose newest record is durable.
    var durable: Set<Upload.ID> { state.withLock { $0.durable } }

    var refusal: JournalError? {
        get { state.withLock { $0.refusal } }
        set { state.withLock { $0.refusal = newValue } }
    }

    /// Returns true for the appends that are refused while `refusal` is set. The default refuses all.
    var refuses: @Sendable ([QueueChange]) -> Bool {
        get { state.withLock { $0.refuses } }
        set { state.withLock { $0.refuses = newValue } }
    }

    /// A gate that appends wait for; nil for none.
    var gate: Gate? {
        get { state.withLock { $0.gate } }
        set { state.withLock { $0.gate = newValue } }
    }

    func load() throws(JournalError) -> Recovered {
        var (uploads, settings) = state.withLock { ($0.uploads, $0.settings) }
        if let greatest = uploads.keys.max() { settings.reserve(greatest) }
        return Recovered(uploads: uploads.values.sorted { $0.id < $1.id }, settings: settings)
    }

    func submit(
        _ changes: [QueueChange], _ durability: Durability,
        answer: @escaping @Sendable (Result<Void, JournalError>) -> Void
    ) {
        guard let gate else { return answer(write(changes, durability)) }
        Task {
            try? await gate.wait()
            answer(write(changes, durability))
        }
    }

    private func write(_ changes: [QueueChange], _ durability: Durability) -> Result<Void, JournalError> {
        if let refusal, refuses(changes) { return .failure(refusal) }
        let durably = durability != .process
        state.withLock { state in
            for change in changes {
                switch change {
                case .set(let upload):
                    if durably { state.durable.insert(upload.id) } else { state.durable.remove(upload.id) }
                case .settings(let settings): state.settings = settings
                case .setState, .remove, .removeAll: break
                }
                state.uploads.apply(change)
            }
        }
        return .success(())
    }

    func repair() async -> JournalCondition { refusal.map { .refusing($0) } ?? .healthy }

    func close() async throws(JournalError) { state.withLock { $0.isClosed = true } }
}

/// The error of a wait that took longer than a minute.
struct TooLate: Error {}

extension AttemptRecorder {
    /// Records an upload resource that contains no secret.
    func record(_ resource: UploadResource, durably: Bool) async throws(UploadFailure) {
        try await record(Redacted(resource), durably: durably)
    }
}

/// A runner whose attempts end as the test decides.
final class ScriptedRunner: AttemptRunner {
    struct Attempt: Sendable {
        let upload: Upload
        let recorder: any AttemptRecorder
        fileprivate let outcome: AsyncStream<UploadAttempt.Outcome>.Continuation

        func finish(_ outcome: UploadAttempt.Outcome) { self.outcome.yield(outcome) }
        func fail(_ category: UploadFailure.Category, retryAfter: Double? = nil) {
            finish(.failed(UploadFailure(category, "as scripted", retryAfter: retryAfter)))
        }
        func complete() { finish(.done(Receipt(bytes: upload.size))) }
    }

    private let started: AsyncStream<Attempt>
    private let start: AsyncStream<Attempt>.Continuation
    private let discardedIDs = Mutex<[Upload.ID]>([])
    private let said = Mutex<[String]>([])
    private let invalidated = Mutex<[ConnectionInvalidation]>([])
    private let linkChanges = Mutex<[Bool]>([])
    private let isLocal: Bool
    private let ignoresCancelling: Bool
    /// The proxy of all hosts; nil for none.
    let proxy = Mutex<ProxyAddress?>(nil)

    /// - Parameter ignoresCancelling: True if attempts end only as the test decides, even if they are cancelled before.
    init(isLocal: Bool = false, ignoresCancelling: Bool = false) {
        self.isLocal = isLocal
        self.ignoresCancelling = ignoresCancelling
        (started, start) = AsyncStream.makeStream()
    }

    var discarded: [Upload.ID] { discardedIDs.withLock { $0 } }

    /// Waits for the next attempt that the queue starts. Throws `TooLate` after a minute.
    func next() async throws -> Attempt {
        try await withThrowingTaskGroup(of: Attempt.self) { group in
            group.addTask { [started] in
                for await attempt in started { return attempt }
                throw CancellationError()
            }
            group.addTask {
                try await Task.sleep(for: .seconds(60))
                throw TooLate()
            }
            defer { group.cancelAll() }
            guard let attempt = try await group.next() else { throw CancellationError() }
            return attempt
        }
    }

    func run(_ upload: Upload, recorder: any AttemptRecorder) async -> Redacted<UploadAttempt.Outcome> {
        let (outcomes, outcome) = AsyncStream.makeStream(of: UploadAttempt.Outcome.self)
        start.yield(Attempt(upload: upload, recorder: recorder, outcome: outcome))
        if ignoresCancelling {
            return await Task.detached {
                for await outcome in outcomes { return Redacted(outcome) }
                return Redacted(.cancelled)
            }.value
        }
        for await outcome in outcomes { return Redacted(outcome) }
        return Redacted(.cancelled)
    }

    /// The uploads that the queue abandoned and reclaimed, as texts.
    var memory: [String] { said.withLock { $0 } }

    func abandon(_ uploads: [Upload], since date: Date) {
        guard !uploads.isEmpty else { return }
        let delay = Int(date.timeIntervalSince1970) - 1_800_000_000
        said.withLock { $0.append("abandoned \(uploads.map(\.id)) after \(delay) s") }
    }

    func reclaim(_ uploads: [Upload]) {
        said.withLock { $0.append("reclaimed \(uploads.map(\.id))") }
    }

    func discard(_ upload: Upload) async { discardedIDs.withLock { $0.append(upload.id) } }

    func host(of upload: Upload) -> UploadHost {
        UploadHost(
            name: URL(string: upload.target.url)?.host() ?? "", port: 80, isLocal: isLocal,
            proxy: proxy.withLock { $0 })
    }

    func resumes(_ upload: Upload) -> Bool { upload.target.protocolName == "tus" }

    var invalidations: [ConnectionInvalidation] { invalidated.withLock { $0 } }
    func invalidateConnections(because reason: ConnectionInvalidation) {
        invalidated.withLock { $0.append(reason) }
    }

    /// The reports that the link is away (true) or back (false).
    var links: [Bool] { linkChanges.withLock { $0 } }
    func linkChanged(isAway: Bool) { linkChanges.withLock { $0.append(isAway) } }
}

/// A link monitor whose statuses the test sends.
final class ScriptedMonitor: LinkMonitor {
    let holdsUntilKnown: Bool
    private let stream: AsyncStream<LinkStatus>
    private let continuation: AsyncStream<LinkStatus>.Continuation

    init(holdsUntilKnown: Bool = false) {
        self.holdsUntilKnown = holdsUntilKnown
        (stream, continuation) = AsyncStream.makeStream()
    }

    private let forbidden = Mutex<Set<String>>([])

    /// Marks a reason: a link that is down for it exists, but must not be used.
    func forbid(_ reason: String) { _ = forbidden.withLock { $0.insert(reason) } }
    func forbidsNetwork(because reason: String) -> Bool { forbidden.withLock { $0.contains(reason) } }

    func statuses() -> AsyncStream<LinkStatus> { stream }
    func report(_ status: LinkStatus) { continuation.yield(status) }
}

extension QueueClock {
    /// Makes a clock whose instants and dates both follow `manual`. The dates begin at 1,800,000,000 s.
    static func manual(_ manual: ManualClock) -> QueueClock {
        let start = ContinuousClock.now
        return QueueClock(
            now: { start.advanced(by: manual.now.offset) },
            sleep: { try await manual.sleep(until: .init(offset: start.duration(to: $0))) },
            date: { Date(timeIntervalSince1970: 1_800_000_000 + manual.now.offset / .seconds(1)) })
    }
}

/// A queue with a scripted runner, journal, link and clock.
struct QueueFixture {
    let queue: UploadQueue
    let journal: MemoryJournal
    let runner: ScriptedRunner
    let clock = ManualClock()
    let monitor = ScriptedMonitor()

    init(
        _ uploads: [Upload] = [], concurrency: Int = 4, smallUploadsPerSlot: Int = 1, isLocal: Bool = false,
        ignoresCancelling: Bool = false, retry: QueueRetryPolicy = QueueRetryPolicy(),
        probe: @escaping @Sendable (UploadHost) async -> Reachability = { _ in .reachable }
    ) {
        journal = MemoryJournal(uploads)
        runner = ScriptedRunner(isLocal: isLocal, ignoresCancelling: ignoresCancelling)
        queue = UploadQueue(
            configuration: .init(
                concurrency: concurrency, smallUploadsPerSlot: smallUploadsPerSlot, retry: retry),
            journal: journal,
            runner: runner, clock: .manual(clock), probe: probe)
    }

    /// Starts the queue and adds an upload.
    ///
    /// - Returns: The id of the upload, and its first attempt.
    func startOne() async throws -> (id: Upload.ID, attempt: ScriptedRunner.Attempt) {
        try await queue.start(monitor: nil)
        _ = await add(1)
        let attempt = try await runner.next()
        return (attempt.upload.id, attempt)
    }

    /// Waits until the queue reports the upload in a state for which `accepts` returns true.
    func wait(
        for id: Upload.ID, _ accepts: @escaping @Sendable (Upload.State) -> Bool
    ) async throws -> Upload {
        let updates = await queue.updates()
        // The timeout makes the test fail instead of blocking the others.
        let timeout = Task { try await Task.sleep(for: .seconds(60)) }
        let found = Task {
            defer { timeout.cancel() }
            for await update in updates {
                for upload in update.changed where upload.id == id && accepts(upload.state) { return upload }
            }
            throw CancellationError()
        }
        defer { found.cancel() }
        if case .success = await timeout.result { throw TooLate() }
        return try await found.value
    }

    /// Waits until `condition` holds for the queue.
    func until(_ condition: @Sendable (isolated UploadQueue) -> Bool) async throws {
        let deadline = ContinuousClock.now.advanced(by: .seconds(60))
        while ContinuousClock.now < deadline {
            if await condition(queue) { return }
            await Task.yield()
        }
        throw TooLate()
    }

    func add(_ count: Int, url: String = "http://host.test/") async -> [Upload.ID] {
        let new = (1...count).map { number in
            NewUpload(
                path: LocalPath("/files/\(number)"),
                identity: FileIdentity(device: 1, inode: UInt64(number), size: 1000, modified: 1, changed: 1),
                target: .init(destination: "box", url: url, protocolName: "tus", name: "\(number)"))
        }
        guard case .changed(let ids) = await queue.perform(.add(new)) else { return [] }
        return ids
    }
}

extension Upload.State {
    var isRunning: Bool { if case .running = self { true } else { false } }
    var isWaiting: Bool { if case .waiting = self { true } else { false } }
    var isDone: Bool { if case .done = self { true } else { false } }
    var isFailed: Bool { if case .failed = self { true } else { false } }
    var isHeld: Bool { if case .held = self { true } else { false } }
}
