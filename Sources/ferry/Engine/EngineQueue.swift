import FerryProtocols
import FerryUploads

/// The queue of the engine in this process, for clients. Before it adds uploads to an unknown destination, it reads the
/// new destinations from the configuration file.
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
