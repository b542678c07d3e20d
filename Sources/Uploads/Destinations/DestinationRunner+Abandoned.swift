public import FerryFiles
public import FerryProtocols
import FerryTransfer

/// The bytes that servers still store of uploads that have left the queue.
extension DestinationRunner {
    public func abandon(_ uploads: [Upload], since date: Date) {
        abandoned?.add(
            uploads.compactMap { upload in
                guard let entry = AbandonedUpload(upload, since: date) else { return nil }
                // A destination that is missing now may return, so its upload is recorded too.
                if let (exchanges, _) = try? deletion(of: upload), exchanges.isEmpty { return nil }
                return entry
            })
    }

    public func reclaim(_ uploads: [Upload]) {
        abandoned?.strike(uploads.compactMap { $0.resource?.url })
    }

    public func discard(_ upload: Upload) async {
        // An upload that cannot be deleted stays among the abandoned ones.
        try? await delete(upload)
    }

    /// Returns the abandoned uploads whose bytes a destination's server may still store.
    ///
    /// - Parameter destination: The destination. For a plain URL, uploads to the same URL match.
    ///
    /// An entry with `since` in the future was removed a moment ago. The removal can be undone until then, and
    /// afterwards the owner of the queue deletes the bytes.
    public func abandoned(at destination: Destination) async -> [AbandonedUpload] {
        await abandoned?.all(now: now()).filter { entry in
            let target = entry.upload.target
            guard target.destination == destination.name else { return false }
            return destination.name.isEmpty
                ? UploadAddress.withoutQuery(target.url) == UploadAddress.withoutQuery(destination.url)
                : destinations.take(entry.upload.target)
        } ?? []
    }

    /// The plain URLs, outside of the configured destinations, that may still store bytes.
    public func abandonedAddresses() async -> [Destination] {
        var known: Set<String> = []
        return await abandoned?.all(now: now()).compactMap { entry in
            let target = entry.upload.target
            guard target.destination.isEmpty, known.insert(UploadAddress.withoutQuery(target.url)).inserted
            else { return nil }
            return try? destinations.destination(for: entry.upload.target)
        } ?? []
    }

    /// Deletes the remaining bytes of an upload.
    ///
    /// - Throws: `UploadFailure` with the reason why the bytes are still there.
    public func remove(_ entry: AbandonedUpload) async throws(UploadFailure) {
        try await delete(entry.upload)
    }

    private func deletion(of upload: Upload) throws(UploadFailure) -> ([Exchange], Destination) {
        guard let resource = upload.resource else { throw Self.cannotBeRemoved }
        let destination = try destinations.destination(for: upload.target)
        let restored = KeptQuery(of: destination.url).restored(resource)
        return (try Self.uploadProtocol(for: upload, at: destination).removal(of: restored), destination)
    }

    private func delete(_ upload: Upload) async throws(UploadFailure) {
        let (exchanges, destination) = try deletion(of: upload)
        try await delete(exchanges, at: destination, label: "\(upload.id)")
        reclaim([upload])
    }

    static let cannotBeRemoved = UploadFailure(.permanent, "there is no way to remove it from here")

    /// - Throws: `UploadFailure` for the last refusal of the server.
    func delete(
        _ exchanges: [Exchange], at destination: Destination, label: String
    ) async throws(UploadFailure) {
        guard !exchanges.isEmpty else { throw Self.cannotBeRemoved }
        try await withSender(for: destination) { sender throws(UploadFailure) in
            var refusal: UploadFailure?
            for exchange in exchanges {
                switch try await sender.ask(exchange, label: label) {
                case .broken(let failure, _): throw failure
                case .answered(let answer):
                    // The bytes are gone with 404 and 410 too. Google sends 499 for an upload session that was ended.
                    guard (200..<300).contains(answer.status) || [404, 410, 499].contains(answer.status)
                    else {
                        refusal = ResponseClassifier.failure(answer)
                        continue
                    }
                }
            }
            if let refusal { throw refusal }
        }
    }
}
