package import FerryProtocols

/// Pausing and letting go on, by upload and by batch: what is added to a paused batch is paused too.
extension UploadQueue {
    /// - Parameter batches: Those that are paused from now on.
    /// - Returns: What takes it back.
    func pause(_ ids: [Upload.ID], batches: Set<String> = []) async throws(UploadFailure) -> Reversal {
        let new = batches.subtracting(settings.pausedBatches)
        let changed = try await command(ids, pausing: new) { $0.pause() }
        cancelRuns(changed)
        return .resume(changed, batches: new, addedFrom: settings.nextID)
    }

    /// - Parameter batches: Those that are not paused from now on.
    /// - Returns: What takes it back.
    func resume(_ ids: [Upload.ID], batches: Set<String> = []) async throws(UploadFailure) -> Reversal {
        let lifted = batches.intersection(settings.pausedBatches)
        let changed = try await command(ids, resuming: lifted) { $0.resume() }
        return .pause(changed, batches: lifted)
    }

    /// What was added to some batches from a number on.
    func added(from first: Upload.ID, to batches: Set<String>) -> [Upload.ID] {
        guard !batches.isEmpty else { return [] }
        return uploads.values.filter { $0.id >= first && $0.batch.map(batches.contains) ?? false }.map(\.id)
    }

    /// Whether an upload that is added now waits for somebody to let its batch go on.
    func isPaused(_ batch: String?) -> Bool { batch.map(settings.pausedBatches.contains) ?? false }
}

extension UploadSelection {
    /// The batches that are meant as such, and not only the uploads in them.
    var batches: Set<String> {
        if case .batch(let name) = self { [name] } else { [] }
    }
}

extension UploadFailure {
    private static let batchesNamed = 10

    /// - Parameter known: The names there are.
    package static func unknownBatch(_ name: String, known: Set<String>) -> UploadFailure {
        let names = known.sorted()
        let rest = names.count > batchesNamed ? ", and \(names.count - batchesNamed) more" : ""
        return UploadFailure(
            .permanent, "there is no batch '\(name)'",
            hint: names.isEmpty
                ? "`ferry add … --batch \(name)` begins one"
                : "there are \(names.prefix(batchesNamed).joined(separator: ", "))\(rest)")
    }
}
