import FerryFiles
import FerryProtocols
import HTTPTypes

/// Uploads in one request: the whole body is stored, or nothing.
extension Responder {
    private static let smallSize = 1 << 20
    static let nameExists = Refusal(.preconditionFailed, "A file of that name exists.")

    func put(_ exchange: Exchange, at path: String) async throws -> Response {
        let wish = try StoredPath(requestPath: path)
        let onlyNew = exchange.head.headerFields[.ifNoneMatch] == "*"
        if onlyNew, try await stored(wish) != nil { throw Self.nameExists }
        do {
            return try await store(exchange, as: wish, onlyNew: onlyNew)
        } catch let error as SystemCallError where onlyNew && error.code == .fileExists {
            throw Self.nameExists
        }
    }

    func post(_ exchange: Exchange) async throws -> Response {
        try await store(exchange, as: try Self.postedName(exchange.head.headerFields))
    }

    /// Returns the path in `Content-Disposition`; a generated name if there is none.
    static func postedName(_ fields: HTTPFields) throws(NameProblem) -> StoredPath {
        guard let name = fields[.contentDisposition].flatMap({ ContentDisposition.filename(in: $0) }) else {
            return StoredPath(file: try madeUpName())
        }
        return try StoredPath(clientName: name)
    }

    static func madeUpName(_ id: String = UploadID.make()) throws(NameProblem) -> SafeName {
        try SafeName("upload-\(id.prefix(8))")
    }

    /// Refuses a request that contains only a part of a file (`Content-Range`) or encoded content (`Content-Encoding`).
    func checkRepresentation(_ fields: HTTPFields) throws(Refusal) {
        // RFC 9110 §14.4: a part of a file must not pass for the whole.
        guard fields[.contentRange] == nil else {
            throw Refusal(.badRequest, "Content-Range is not understood here; use a resumable upload.")
        }
        guard ["identity", nil].contains(fields[.contentEncoding]?.lowercased()) else {
            throw Refusal(
                .unsupportedMediaType, "Content-Encoding is not understood here; send the file as it is.")
        }
    }

    private func store(
        _ exchange: Exchange, as wish: StoredPath, onlyNew: Bool = false
    ) async throws -> Response {
        try checkRepresentation(exchange.head.headerFields)
        if let length = exchange.length { try await checkSize(length) }
        let demand = DigestDemand(exchange.head.headerFields)
        let id = UploadID.make()
        let file = try await offLoop { try uploadStore.create(id) }
        metrics.note(.created(id: id, name: wish.text, size: exchange.length))
        let (size, ending) = await bodyReceiver.receive(
            exchange, id: id, into: file, from: 0, limit: maximumSize)
        do {
            try ending.check(limit: maximumSize)
            // The content of this request is the whole file, so `Content-Digest` and `Repr-Digest` both apply to it.
            let digest = try await demand.check(demand.content + demand.whole, file, 0..<size)
            let (path, status) = try await offLoop {
                try file.synchronize()
                return (try uploadStore.publish(id, as: wish, onlyNew: onlyNew), try file.status())
            }
            metrics.note(.finished(id: id, name: path.text, size: size))
            var response = Response(.created, fields: [.location: path.location, .eTag: status.entityTag])
            response.fields[.reprDigest] = digest
            return response
        } catch {
            try? await discard(id, bytes: size)
            metrics.note(.interrupted(id: id, name: wish.text, kept: 0))
            throw error
        }
    }

    /// Removes the data file of an unfinished upload, and gives its content (`bytes`) back to the quota.
    func discard(_ id: String, bytes: Int) async throws {
        try await offLoop { try uploadStore.discard(id) }
        metrics.quota.giveBack(bytes + ReceiverMetrics.entryBytes)
    }

    /// Refuses content that exceeds the maximum size, the quota or the free disk space.
    /// - Parameter files: The minimum number of files that the content creates.
    func checkSize(_ size: Int, files: Int = 1) async throws {
        if let maximumSize, size > maximumSize {
            throw Refusal(.contentTooLarge, "The content is larger than \(maximumSize) bytes.")
        }
        if let room = metrics.quota.room, size > room - files * ReceiverMetrics.entryBytes {
            throw Refusal.overQuota
        }
        // The disk space is not checked for small files. If it is too small, writing fails, and the file is refused.
        guard size > Self.smallSize else { return }
        let disk = try await offLoop { try uploadStore.root.space() }
        guard size <= disk.capacity else {
            throw Refusal(.contentTooLarge, "The content is larger than the receiver's disk.")
        }
        guard size <= disk.free else {
            throw Refusal(
                .insufficientStorage, "The receiver's disk has no room for this; \(disk.free) bytes are free."
            )
        }
    }

    func head(_ exchange: Exchange, at path: String) async throws -> Response {
        let (file, status) = try await find(path)
        var response = Response(
            .ok,
            fields: [
                .contentLength: "\(status.size)", .eTag: status.entityTag,
                .lastModified: HTTPDate.format(status.modified),
            ])
        if let wanted = DigestDemand(exchange.head.headerFields).wanted {
            response.fields[.reprDigest] = try await digests.field(wanted, of: file, status)
        }
        return response
    }

    func get(_ exchange: Exchange, at path: String) async throws -> Response {
        let (file, status) = try await find(path)
        try await exchange.send(
            file, size: status.size,
            fields: [
                .contentType: "application/octet-stream", .contentDisposition: "attachment",
                .eTag: status.entityTag, .lastModified: HTTPDate.format(status.modified),
            ])
        return Response(.ok)
    }

    private func find(_ path: String) async throws -> (file: OpenFile, status: FileStatus) {
        guard let found = try await stored(try StoredPath(requestPath: path)) else {
            throw Refusal(.notFound, "There is no such file.")
        }
        return found
    }

    func stored(_ path: StoredPath) async throws -> (file: OpenFile, status: FileStatus)? {
        try await offLoop { try uploadStore.stored(path) }
    }
}
