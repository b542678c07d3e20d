public import FerryProtocols
import FerryTransfer

extension DestinationRunner {
    public func abandon(_ uploads: [Upload], since date: Date) {
        abandoned?.add(
            uploads.compactMap { upload in
                guard let entry = AbandonedUpload(upload, since: date) else { return nil }
                // Not recorded if the protocol cannot delete the bytes. A missing destination can be configured again.
                if let (exchanges, _) = try? deletion(of: upload), exchanges.isEmpty { return nil }
                return entry
            })
    }

    public func reclaim(_ uploads: [Upload]) {
        abandoned?.strike(uploads.compactMap { $0.resource?.url })
    }

    public func discard(_ upload: Upload) async {
        // If the deletion fails, the entry of the upload stays in the list of abandoned uploads.
        try? await delete(upload)
    }

    /// Returns the abandoned uploads to a destination with a name, or to the URL of one without. URLs are compared
    /// without their queries. An upload whose URL has another origin than the configured one is left out.
    public func abandoned(at destination: Destination) async -> [AbandonedUpload] {
        await abandoned?.all(now: now()).filter { entry in
            let target = entry.upload.target
            guard target.destination == destination.name else { return false }
            return destination.name.isEmpty
                ? UploadAddress.withoutQuery(target.url) == UploadAddress.withoutQuery(destination.url)
                : destinations.take(entry.upload.target)
        } ?? []
    }

    /// Returns a destination for each URL, without its query, of abandoned uploads that were added with a URL.
    public func abandonedAddresses() async -> [Destination] {
        var known: Set<String> = []
        return await abandoned?.all(now: now()).compactMap { entry in
            let target = entry.upload.target
            guard target.destination.isEmpty, known.insert(UploadAddress.withoutQuery(target.url)).inserted
            else { return nil }
            return try? destinations.destination(for: entry.upload.target)
        } ?? []
    }

    /// Deletes the bytes of an abandoned upload from its server, and its entry from the list.
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

    /// Sends all requests that delete an unfinished upload from its server, and then throws the last refusal.
    func delete(
        _ exchanges: [Exchange], at destination: Destination, label: String
    ) async throws(UploadFailure) {
        guard !exchanges.isEmpty else { throw Self.cannotBeRemoved }
        try await withSender(for: destination) { sender throws(UploadFailure) in
            var refusal: UploadFailure?
            for exchange in exchanges {
                switch try await sender.ask(exchange, label: label) {
                case .broken(let failure, _): throw failure
                case .responded(let response):
                    // 404 and 410 mean that the bytes are gone. Google sends 499 for an upload session that was ended.
                    guard (200..<300).contains(response.status) || [404, 410, 499].contains(response.status)
                    else {
                        refusal = ResponseClassifier.failure(response)
                        continue
                    }
                }
            }
            if let refusal { throw refusal }
        }
    }
}
