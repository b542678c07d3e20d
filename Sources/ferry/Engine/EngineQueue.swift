import FerryProtocols
import FerryUploads

/// The queue of an engine in this process. Before a command, it loads destinations that the engine does not know.
struct EngineQueue: QueueClient {
    let queue: UploadQueue
    let configuration: ConfigurationReloader

    func perform(_ command: QueueCommand) async -> QueueReply {
        do throws(UploadFailure) {
            try await configuration.prepare(for: command)
            return await queue.perform(command)
        } catch {
            return .refused(error)
        }
    }

    func updates() async -> AsyncStream<QueueUpdate> { await queue.updates() }

    func progress() -> [ProgressSample] { queue.progress() }
}
