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

extension ConfigurationReloader {
    /// Checks the destinations of the uploads that a command adds. If the engine does not know one of them, first reads
    /// new destinations from the configuration file.
    ///
    /// - Throws: `UploadFailure` (`permanent`) if a destination is still unknown, or has another origin than the
    ///   upload's URL.
    nonisolated func prepare(for command: QueueCommand) async throws(UploadFailure) {
        let targets = Self.targets(of: command)
        if unknown(in: targets) != nil {
            let outcome = await Result.awaiting { () async throws(UploadFailure) in
                try await reload(.newDestinations)
            }
            if let name = unknown(in: targets) { throw Self.refusal(of: name, outcome) }
        }
        // An upload whose URL does not fit its destination would fail permanently.
        if let moved = targets.first(where: { !destinations.take($0) }) {
            throw UploadFailure(
                .permanent, "the running engine knows \(moved.destination) elsewhere than at \(moved.url)",
                hint: assembly.source.map { "`ferry reload` lets it read \($0.file) again" })
        }
    }

    private nonisolated func unknown(in targets: [Upload.Target]) -> String? {
        let known = destinations.named
        return targets.lazy.map(\.destination).first { !$0.isEmpty && known[$0] == nil }
    }

    private static func refusal(
        of name: String, _ outcome: Result<ReloadReport, UploadFailure>
    ) -> UploadFailure {
        switch outcome {
        case .success(let report):
            UploadFailure(
                .permanent,
                "the running engine has no destination \(name), also now that it has read \(report.file) again",
                hint: "define it there; or stop the engine (`ferry stop`)")
        case .failure(let failure):
            UploadFailure(
                .permanent,
                "the running engine does not know the destination \(name) yet: \(failure.summary)",
                hint: failure.hint)
        }
    }

    /// Returns the targets of the uploads that the command adds, without repetitions of the same destination and URL.
    private static func targets(of command: QueueCommand) -> [Upload.Target] {
        let new: [NewUpload]
        switch command {
        case .add(let files), .addMissing(let files), .addNew(let files): new = files
        default: return []
        }
        var known: Set<[String]> = []
        return new.lazy.map(\.target).filter { known.insert([$0.destination, $0.url]).inserted }
    }
}
