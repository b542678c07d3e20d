public import FerryFiles
public import FerryProtocols
import FerryTransfer

/// The remains at servers of uploads that are not in the queue any more.
extension DestinationRunner {
    public func abandon(_ uploads: [Upload], since date: Date) {
        abandoned?.add(
            uploads.compactMap { upload in
                guard let entry = AbandonedUpload(upload, since: date) else { return nil }
                // Of a destination that is away for now it is not known, and it may come back.
                if let (exchanges, _) = try? deletion(of: upload), exchanges.isEmpty { return nil }
                return entry
            })
    }

    public func reclaim(_ uploads: [Upload]) {
        abandoned?.strike(uploads.compactMap { $0.resource?.url })
    }

    public func discard(_ upload: Upload) async {
        // What is not deleted stays among the abandoned ones.
        try? await delete(upload)
    }

    /// Returns the remains that a destination's server may have of uploads that were given up.
    ///
    /// - Parameter destination: For an address, those that went to the same address.
    ///
    /// One whose `since` is to come was removed a moment ago: it may be put back until then, and whoever has the queue
    /// deletes afterwards what there is of it.
    public func abandoned(at destination: Destination) async -> [AbandonedUpload] {
        await abandoned?.all(now: now()).filter { entry in
            let target = entry.upload.target
            guard target.destination == destination.name else { return false }
            return destination.name.isEmpty
                ? UploadAddress.withoutQuery(target.url) == UploadAddress.withoutQuery(destination.url)
                : destinations.take(entry.upload.target)
        } ?? []
    }

    /// The addresses, no destinations of the configuration, where something may be left.
    public func abandonedAddresses() async -> [Destination] {
        var known: Set<String> = []
        return await abandoned?.all(now: now()).compactMap { entry in
            let target = entry.upload.target
            guard target.destination.isEmpty, known.insert(UploadAddress.withoutQuery(target.url)).inserted
            else { return nil }
            return try? destinations.destination(for: entry.upload.target)
        } ?? []
    }

    /// Deletes what is left of an upload.
    ///
    /// - Throws: `UploadFailure` that says why it is still there.
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

    /// - Throws: `UploadFailure`: the last of what the server said against it.
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
                    // Gone is gone. 499 is how Google says that a session was ended.
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
