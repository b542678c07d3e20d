import FerryFiles
import FerryProtocols
import HTTPTypes
import NIOCore

/// The server side of tus 1.0.0, and the extensions creation(-with-upload), termination, expiration and checksum.
extension Responder {
    private static let version = "1.0.0"
    private static let contentType = "application/offset+octet-stream"
    /// The longest path in Linux has 4096 bytes, which become 5464 in the Base64 of `Upload-Metadata`.
    private static let metadataBytes = 8192

    var tusFields: HTTPFields { [.tusResumable: Self.version, .cacheControl: "no-store"] }

    func respondTus(_ exchange: Exchange, path: String) async throws -> Response {
        let fields = exchange.head.headerFields
        if exchange.head.method == .options { return capabilities() }
        guard fields[.tusResumable] == Self.version else {
            throw Refusal(
                .preconditionFailed, "Tus-Resumable: \(Self.version) is needed.",
                fields: [.tusVersion: Self.version])
        }
        let id = String(path.dropFirst(Self.tusPath.count))
        switch method(of: exchange) {
        case .post where id.isEmpty: return try await create(exchange)
        case .head where !id.isEmpty:
            return try await withUpload(id, exchange) { upload in try await offset(&upload) }
        case .patch where !id.isEmpty: return try await patch(exchange, id)
        case .delete where !id.isEmpty:
            return try await withUpload(id, exchange) { upload in
                await remove(&upload)
                return Response(.noContent)
            }
        default:
            let methods = id.isEmpty ? "OPTIONS, POST" : "OPTIONS, HEAD, PATCH, DELETE"
            throw Refusal(
                .methodNotAllowed, "Here only \(methods) can be used.", fields: [.allow: methods])
        }
    }

    private func method(of exchange: Exchange) -> HTTPRequest.Method {
        guard exchange.head.method == .post, let text = exchange.head.headerFields[.methodOverride] else {
            return exchange.head.method
        }
        return HTTPRequest.Method(text.uppercased()) ?? exchange.head.method
    }

    private func capabilities() -> Response {
        var response = Response(
            .noContent,
            fields: [
                .tusVersion: Self.version,
                .tusExtension: "creation,creation-with-upload,termination,expiration,checksum",
                .tusChecksumAlgorithm: TusChecksum.names,
            ])
        response.fields[.tusMaxSize] = maximumSize.map { "\($0)" }
        return response
    }

    private func create(_ exchange: Exchange) async throws -> Response {
        let fields = exchange.head.headerFields
        guard fields[.uploadConcat] == nil, fields[.uploadDeferLength] == nil else {
            throw Refusal(
                .badRequest, "Concatenation and deferred lengths are not offered; send Upload-Length.")
        }
        guard let length = try fields.count(.uploadLength) else {
            throw Refusal(.badRequest, "Upload-Length is missing.")
        }
        try await checkSize(length)
        let sendsContent = exchange.length != 0
        let checksum = try TusChecksum(in: fields)
        if sendsContent { try checkType(exchange, Self.contentType) }
        if let content = exchange.length, content > length {
            throw Refusal(.contentTooLarge, "The content goes beyond Upload-Length.")
        }
        let metadata = fields[.uploadMetadata]
        guard (metadata?.utf8.count ?? 0) <= Self.metadataBytes else {
            throw Refusal(
                .requestHeaderFieldsTooLarge, "Upload-Metadata is larger than \(Self.metadataBytes) bytes.")
        }
        _ = try TusUpload.wish(metadata, id: UploadID.make())
        return try await withNewUpload(exchange, length: length, metadata: metadata) { id, upload in
            var response = Response(.created)
            if sendsContent || length == 0 {
                let offset = try await append(exchange, &upload, at: 0, checksum)
                response.fields[.uploadOffset] = "\(offset)"
            }
            describe(upload, in: &response)
            try await tellDigest(of: upload, wantedBy: exchange, in: &response)
            response.fields[.location] = Self.tusPath + id
            return response
        }
    }

    private func patch(_ exchange: Exchange, _ id: String) async throws -> Response {
        guard let expected = try exchange.head.headerFields.count(.uploadOffset) else {
            throw Refusal(.badRequest, "Upload-Offset is missing.")
        }
        try checkType(exchange, Self.contentType)
        let checksum = try TusChecksum(in: exchange.head.headerFields)
        return try await withUpload(id, exchange) { upload in
            let offset = try await append(exchange, &upload, at: expected, checksum)
            var response = Response(.noContent, fields: [.uploadOffset: "\(offset)"])
            describe(upload, in: &response)
            try await tellDigest(of: upload, wantedBy: exchange, in: &response)
            return response
        }
    }

    /// Adds the digest of a finished upload's file to the response if the client wants it (RFC 9530 §4).
    func tellDigest(
        of upload: TusUpload?, wantedBy exchange: Exchange, in response: inout Response
    ) async throws {
        guard case .finished(let path)? = upload?.state,
            let wanted = DigestDemand(exchange.head.headerFields).wanted,
            let storedPath = StoredPath(text: path),
            let found = try await stored(storedPath)
        else { return }
        response.fields[.reprDigest] = try await digests.field(wanted, of: found.file, found.status)
    }

    private func offset(_ upload: inout TusUpload?) async throws -> Response {
        let held = try await settle(&upload)
        var response = Response(
            .ok, fields: [.uploadOffset: "\(held.offset)", .uploadLength: "\(held.upload.length)"])
        response.fields[.uploadMetadata] = held.upload.metadata
        describe(upload, in: &response)
        return response
    }

    func checkType(_ exchange: Exchange, _ expected: String) throws(Refusal) {
        let type = exchange.head.headerFields[.contentType]?.prefix { $0 != ";" }.lowercased()
        guard type == expected else {
            throw Refusal(.unsupportedMediaType, "The Content-Type must be \(expected).")
        }
    }

    private func describe(_ upload: TusUpload?, in response: inout Response) {
        guard let upload else { return }
        var current = upload
        current.touched = tus.now()
        response.fields[.uploadExpires] = HTTPDate.format(tus.expires(current))
        if case .finished(let path) = upload.state {
            response.fields[.contentLocation] = StoredPath(text: path)?.location
        }
    }

    struct Held {
        var upload: TusUpload
        /// The data file; nil once it has been renamed to its final path.
        var file: OpenFile?
        /// The number of bytes that are safely on disk.
        var offset: Int
    }

    /// Runs `body` while no other request can use the upload. The upload is nil after `body` has removed it.
    func withUpload(
        _ id: String, _ exchange: Exchange, _ body: (inout TusUpload?) async throws -> Response
    ) async throws -> Response {
        let channel = exchange.channel
        var upload: TusUpload? = try await tus.hold(id) { channel.close(mode: .all, promise: nil) }
        return try await releasing(id, &upload) { upload in
            // tus and the IETF draft end uploads by different rules, so no request continues an upload of the other.
            guard (upload?.resumable != nil) == isResumable(exchange.head) else {
                throw TusStore.unknown
            }
            return try await body(&upload)
        }
    }

    /// Creates an upload, and runs `body` while no other request can use the upload.
    /// - Parameter length: The size of the whole file; nil if the client has not declared the size.
    func withNewUpload(
        _ exchange: Exchange, length: Int?, metadata: String? = nil, resumable: ResumableTerms? = nil,
        _ body: (_ id: String, inout TusUpload?) async throws -> Response
    ) async throws -> Response {
        let channel = exchange.channel
        let created = try await tus.create(
            length: length ?? TusUpload.unknownLength, metadata: metadata, resumable: resumable,
            client: ClientAddress(channel.remoteAddress).text,
            stop: { channel.close(mode: .all, promise: nil) })
        metrics.note(.created(id: created.id, name: created.name, size: length))
        var upload: TusUpload? = created
        return try await releasing(created.id, &upload) { upload in try await body(created.id, &upload) }
    }

    func remove(_ upload: inout TusUpload?) async {
        guard let removed = upload else { return }
        await tus.discard(removed)
        upload = nil
        metrics.note(.removed(id: removed.id, name: removed.name))
    }

    func noteResuming(_ upload: TusUpload, at offset: Int) async {
        guard offset > 0, await tus.resume(upload.id) else { return }
        metrics.note(.resumed(id: upload.id, name: upload.name, offset: offset))
    }

    func noteBreak(_ upload: TusUpload, kept: Int) async {
        await tus.interrupt(upload.id)
        metrics.note(.interrupted(id: upload.id, name: upload.name, kept: kept))
    }

    func releasing(
        _ id: String, _ upload: inout TusUpload?, _ body: (inout TusUpload?) async throws -> Response
    ) async throws -> Response {
        do {
            let response = try await body(&upload)
            await tus.release(id, upload)
            return response
        } catch {
            await tus.release(id, upload)
            throw error
        }
    }

    /// Returns the upload, its data file, and the number of bytes that are safely on disk.
    ///
    /// If the upload is complete but its data file is not renamed yet, finishes the upload first. This happens for an
    /// empty upload, and after a crash before the rename.
    func settle(_ upload: inout TusUpload?) async throws -> Held {
        guard let current = upload else { throw Refusal(.gone, "The upload was removed.") }
        if case .finished = current.state {
            return Held(upload: current, file: nil, offset: current.length)
        }
        do {
            let (file, offset) = try await offLoop {
                let file = try uploadStore.open(current.id)
                try file.synchronize()
                return (file, try file.status().size)
            }
            guard offset >= current.length, current.endsByLength else {
                return Held(upload: current, file: file, offset: offset)
            }
            try await finish(&upload)
            return Held(upload: upload ?? current, file: nil, offset: current.length)
        } catch let error as SystemCallError where error.code == .noSuchFileOrDirectory {
            await tus.discard(current)
            upload = nil
            throw Refusal(.gone, "The upload's data is gone.")
        }
    }

    /// Stores the content at the offset `expected`, and returns the new number of bytes of the upload on disk. Content
    /// with a checksum is stored only if all of it arrives and matches, except for a part of it after a crash.
    private func append(
        _ exchange: Exchange, _ upload: inout TusUpload?, at expected: Int, _ checksum: TusChecksum?
    ) async throws -> Int {
        let held = try await settle(&upload)
        let current = held.upload
        guard held.offset == expected else {
            throw Refusal(.conflict, "Upload-Offset is not where the upload ends; ask with HEAD.")
        }
        let overflow = Refusal(.contentTooLarge, "The content goes beyond Upload-Length.")
        if let length = exchange.length, length > current.length - expected { throw overflow }
        guard let file = held.file else {
            if try await exchange.read() != nil { throw overflow }
            return held.offset
        }
        await noteResuming(current, at: expected)
        let (size, ending) = await bodyReceiver.receive(
            exchange, id: current.id, into: file, from: expected, limit: current.length)
        if case .tooLarge = ending {
            try await takeBack(file, from: size, to: expected)
            throw overflow
        }
        if let checksum {
            let isRight = ending.isComplete ? try await checksum.matches(file, expected..<size) : false
            if !isRight { try await takeBack(file, from: size, to: expected) }
            guard isRight || !ending.isComplete else {
                throw Refusal(.checksumMismatch, "The content is not what Upload-Checksum says.")
            }
        }
        try await offLoop { try file.synchronize() }
        if case .cut(let cut) = ending {
            await noteBreak(current, kept: checksum == nil ? size : expected)
            throw cut
        }
        try ending.check(limit: current.length)
        if size == current.length { try await finish(&upload) }
        return size
    }

    /// Shortens the file from `size` to `start` bytes, and gives the removed bytes back to the quota.
    func takeBack(_ file: OpenFile, from size: Int, to start: Int) async throws {
        metrics.quota.giveBack(size - start)
        try await offLoop {
            try file.truncate(to: start)
            try file.synchronize()
        }
    }

    /// Renames the complete data file to its final path, which is recorded first, to repeat the rename after a crash.
    func finish(_ upload: inout TusUpload?) async throws {
        guard let current = upload else { return }
        let wish = try current.wish()
        let now = tus.now()
        let (finished, path) = try await offLoop {
            var finished = current
            finished.touched = now
            let path = try uploadStore.publish(current.id, as: wish) { candidate throws(SystemCallError) in
                finished.state = .finishing(path: candidate.text)
                try uploadStore.save(finished)
            }
            finished.state = .finished(path: path.text)
            try uploadStore.save(finished)
            return (finished, path.text)
        }
        upload = finished
        metrics.note(.finished(id: current.id, name: path, size: current.length))
    }
}
