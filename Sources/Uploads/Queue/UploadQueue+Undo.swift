import FerryProtocols

extension UploadQueue {
    /// The answer to an order that can be taken back.
    ///
    /// - Parameters:
    ///   - reversal: What takes it back.
    ///   - ids: The uploads that it changed, if those are not all that the reversal is about.
    func answer(_ reversal: Reversal, about ids: [Upload.ID]? = nil) -> QueueReply {
        if !reversal.isEmpty, case .putBack(let ids, _) = orders.record(reversal) { forgetRemoved(ids) }
        return .changed(ids ?? reversal.ids)
    }

    /// Takes the last order back, or gives again the one that was taken back last. Orders that have nothing left to
    /// change, because others removed the uploads or changed them too, are passed over.
    func goBack(_ direction: OrderHistory.Direction) async throws(UploadFailure) -> QueueReply {
        while let reversal = orders.next(direction) {
            let done: (reversal: Reversal, change: QueueChangeKind)
            do throws(UploadFailure) { done = try await carryOut(reversal) } catch {
                orders.failed(direction, reversal)
                throw error
            }
            guard !done.reversal.isEmpty else { continue }
            orders.went(direction, reversal: done.reversal)
            return .reversed(done.change, done.reversal.ids)
        }
        throw UploadFailure(
            .permanent, direction == .undo ? "there is nothing to undo" : "there is nothing to do again")
    }

    private func carryOut(
        _ reversal: Reversal
    ) async throws(UploadFailure) -> (Reversal, QueueChangeKind) {
        func known(_ ids: [Upload.ID]) -> [Upload.ID] { ids.filter { uploads[$0] != nil } }
        return switch reversal {
        case .pause(let ids, let batches): (try await pause(known(ids), batches: batches), .paused)
        case .resume(let ids, let batches, let first):
            (try await resume(known(ids) + added(from: first, to: batches), batches: batches), .resumed)
        case .remove(let ids): (try await remove(known(ids)), .removed)
        case .putBack(let ids, let stranded):
            (.remove(try await putBack(ids, stranded: stranded)), .putBack)
        case .place(let ranks): (.place(try await place(ranks.filter { uploads[$0.key] != nil })), .moved)
        case .limitBandwidth(let bandwidth, let scope):
            (try await limitBandwidth(bandwidth, of: scope), .limited(.bandwidth(status.limits[scope])))
        case .limitConcurrency(let count):
            (try await limitConcurrency(count), .limited(.concurrency(status.concurrency)))
        }
    }
}
