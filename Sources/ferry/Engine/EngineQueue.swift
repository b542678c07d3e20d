import FerryProtocols
import FerryUploads

/// Carries out clients' commands on the queue of this process. If a command names a destination that the engine does
/// not know, first reads new destinations from the configuration file.
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
