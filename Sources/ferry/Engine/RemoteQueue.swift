import Dispatch
import FerryProtocols
import FerryUploads
import Synchronization

/// The queue of an engine in another process. When the engine ends, `updates` yields the contact `lost`, and later the
/// updates of the next engine.
final class RemoteQueue: QueueClient {
    private static let timeout = 0.5

    private struct Samples {
        var latest: [ProgressSample] = []
        var isAsking = false
    }

    private let client: ControlClient
    private let samples = Mutex(Samples())
    /// The dispatch queue for progress requests, which block its thread while the engine does not respond.
    private let asking = DispatchQueue(label: "progress")

    init(folder: LocalPath) { client = ControlClient(folder: folder) }

    func perform(_ command: QueueCommand) async -> QueueReply {
        let client = client
        return await withCheckedContinuation { done in
            DetachedThread.start {
                switch client.perform(command) {
                case .reply(let reply): done.resume(returning: reply)
                case .refused(let failure): done.resume(returning: .refused(failure))
                case .noEngine: done.resume(returning: .refused(Self.gone))
                case .unknown: done.resume(returning: .refused(Self.silent))
                }
            }
        }
    }

    /// Returns the latest known progress, and requests newer samples for the next call. An engine that does not respond
    /// cannot block the screen.
    func progress() -> [ProgressSample] {
        let (latest, mayAsk) = samples.withLock { samples in
            defer { samples.isAsking = true }
            return (samples.latest, !samples.isAsking)
        }
        guard mayAsk else { return latest }
        asking.async { [self] in
            var new: [ProgressSample] = []
            if case .responded(.progress(let samples)) = client.ask(.progress) { new = samples }
            samples.withLock { $0 = Samples(latest: new) }
        }
        return latest
    }

    func updates() async -> AsyncStream<QueueUpdate> {
        let (updates, continuation) = AsyncStream.makeStream(of: QueueUpdate.self)
        let follower = Follower(client, continuation)
        continuation.onTermination = { _ in follower.end() }
        DetachedThread.start { follower.run() }
        DetachedThread.start { follower.watch() }
        return updates
    }

    /// Follows the engine on its own thread. After the engine has ended, follows the next engine.
    private final class Follower: Sendable {
        private enum State {
            case searching
            case following(LineSocket)
            case ended
        }

        private let client: ControlClient
        private let updates: AsyncStream<QueueUpdate>.Continuation
        private let state = Mutex(State.searching)
        /// The most recent status that the engine sent. Its member `contact` tells whether the engine still responds.
        private let status = Mutex(EngineStatus())

        init(_ client: ControlClient, _ updates: AsyncStream<QueueUpdate>.Continuation) {
            self.client = client
            self.updates = updates
        }

        func end() {
            let last = state.withLock { state in
                defer { state = .ended }
                return state
            }
            if case .following(let socket) = last { socket.end() }
        }

        func run() {
            while enter(.searching) {
                let refusal = client.connect().flatMap(follow)
                guard enter(.searching) else { break }
                tell(refusal.map(EngineStatus.Contact.refused) ?? .lost(since: Date()))
                DetachedThread.sleep(for: .seconds(RemoteQueue.timeout))
            }
        }

        /// Checks at intervals that a followed engine responds: a suspended one looks like one without changes.
        func watch() {
            while true {
                DetachedThread.sleep(for: .seconds(1))
                switch state.withLock({ $0 }) {
                case .ended: return
                case .searching: continue
                case .following: break
                }
                switch client.askPulse() {
                case .responded: tell(.here)
                case .unknown: tell(.silent(since: Date().addingTimeInterval(-Double(ControlClient.pulse))))
                // The thread in `run` notices the end of the engine.
                case .noEngine, .otherVersion: break
                }
            }
        }

        /// Yields an update with `contact` if that is new. The first update of the next engine reports its own contact.
        private func tell(_ contact: EngineStatus.Contact) {
            status.withLock { status in
                switch (status.contact, contact) {
                case (.lost, .refused), (.refused, .lost): break
                case (.here, .here), (.silent, .silent), (.lost, _), (.refused, _): return
                case (.here, _), (.silent, _): break
                }
                status.contact = contact
                updates.yield(QueueUpdate(isComplete: false, changed: [], removed: [], status: status))
            }
        }

        /// Sets the state. Returns false if nobody reads the updates any more.
        private func enter(_ new: State) -> Bool {
            state.withLock { state in
                if case .ended = state { return false }
                state = new
                return true
            }
        }

        /// Forwards updates until the engine ends or nobody reads them. Returns the failure if the engine refuses to
        /// send any.
        private func follow(_ connection: ControlClient.Connection) -> UploadFailure? {
            var connection = connection
            guard enter(.following(connection.socket)) else { return nil }
            switch connection.ask(.follow) {
            case .responded(.following): break
            case .responded(.reply(.refused(let failure))): return failure
            default: return nil
            }
            connection.socket.waitForever()
            while let head = connection.lines.next().flatMap({ try? UpdateLines.head($0) }),
                let update = connection.uploads(head.count).map(head.update)
            {
                status.withLock { status in
                    status = update.status
                    updates.yield(update)
                }
            }
            return nil
        }
    }

    private static let gone = UploadFailure(
        .permanent, "the engine is gone: this was not done", hint: "`ferry` starts another one")
    private static let silent = UploadFailure(
        .permanent, "the engine did not answer: unknown whether this succeeded", hint: "check the list")
}
