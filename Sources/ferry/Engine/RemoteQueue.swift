import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import Synchronization

/// The queue of a ferry that runs elsewhere on this machine. When that one goes, this one says so in the status, and goes
/// on as soon as another has taken its place.
final class RemoteQueue: QueueClient {
    /// Seconds between two attempts to find an engine again.
    private static let patience = 0.5

    private struct Samples {
        var latest: [ProgressSample] = []
        var isAsking = false
    }

    private let client: ControlClient
    private let samples = Mutex(Samples())
    /// A thread that a dead engine may block, and no other work with it.
    private let asking = DispatchQueue(label: "progress")

    init(folder: LocalPath) { client = ControlClient(folder: folder) }

    func perform(_ command: QueueCommand) async -> QueueReply {
        let client = client
        return await withCheckedContinuation { done in
            Thread.detachNewThread {
                switch client.perform(command) {
                case .reply(let reply): done.resume(returning: reply)
                case .nobody: done.resume(returning: .refused(Self.gone))
                case .unknown: done.resume(returning: .refused(Self.silent))
                }
            }
        }
    }

    /// What was told when this was called last: an engine that does not answer must not hold up who draws. As it is asked
    /// at a steady pace, what it shows is late by one of its steps.
    func progress() -> [ProgressSample] {
        let (latest, mayAsk) = samples.withLock { samples in
            defer { samples.isAsking = true }
            return (samples.latest, !samples.isAsking)
        }
        guard mayAsk else { return latest }
        asking.async { [self] in
            var new: [ProgressSample] = []
            if case .answered(.progress(let samples)) = client.ask(.progress) { new = samples }
            samples.withLock { $0 = Samples(latest: new) }
        }
        return latest
    }

    func updates() async -> AsyncStream<QueueUpdate> {
        let (updates, continuation) = AsyncStream.makeStream(of: QueueUpdate.self)
        let follower = Follower(client, continuation)
        continuation.onTermination = { _ in follower.end() }
        Thread.detachNewThread { follower.run() }
        return updates
    }

    /// Follows one engine after the other, on a thread of its own.
    private final class Follower: Sendable {
        private enum State {
            case searching
            case following(LineSocket)
            case ended
        }

        private let client: ControlClient
        private let updates: AsyncStream<QueueUpdate>.Continuation
        private let state = Mutex(State.searching)

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
            var status = EngineStatus()
            while search() {
                if let connection = client.connect() { follow(connection, &status) }
                guard search() else { break }
                if case .here = status.contact {
                    status.contact = .lost(since: Date())
                    updates.yield(
                        QueueUpdate(isComplete: false, changed: [], removed: [], status: status))
                }
                Thread.sleep(forTimeInterval: RemoteQueue.patience)
            }
        }

        /// - Returns: False if nobody listens any more.
        private func search() -> Bool {
            state.withLock { state in
                if case .ended = state { return false }
                state = .searching
                return true
            }
        }

        /// Returns when the engine has gone, or nobody listens any more.
        private func follow(_ connection: ControlClient.Connection, _ status: inout EngineStatus) {
            var connection = connection
            let mayGoOn = state.withLock { state in
                if case .ended = state { return false }
                state = .following(connection.socket)
                return true
            }
            guard mayGoOn, case .answered(.following) = connection.ask(.follow) else { return }
            connection.socket.waitForever()
            while let update = Self.update(&connection.lines) {
                status = update.status
                updates.yield(update)
            }
        }

        /// - Returns: nil at the end of the stream, and for what cannot be understood.
        private static func update(_ lines: inout IncomingLines) -> QueueUpdate? {
            guard let head = lines.next().flatMap({ try? UpdateLines.head($0) }) else { return nil }
            var reader = UpdateLines.RecordReader()
            var changed: [Upload] = []
            for _ in 0..<max(0, head.count) {
                guard let line = lines.next(),
                    let upload = line.withUnsafeBufferPointer({ try? reader.upload($0) })
                else { return nil }
                changed.append(upload)
            }
            return head.update(changed: changed)
        }
    }

    private static let gone = UploadFailure(
        .permanent, "the engine is gone: this was not done", hint: "`ferry` starts another one")
    private static let silent = UploadFailure(
        .permanent, "the engine did not answer: it is not known whether this was done",
        hint: "the list shows it")
}
