import FerryFiles
import FerryProtocols
import HTTPTypes
import NIOCore

/// Resumable uploads of the IETF (draft-ietf-httpbis-resumable-upload), interop versions 6 and 8. A client begins one
/// with a PUT or POST of a file. As for tus, the upload resource is at `/files/ID`.
extension Responder {
    func isResumable(_ head: HTTPRequest) -> Bool {
        let fields = head.headerFields
        guard head.method != .options, fields[.tusResumable] == nil else { return false }
        return [.uploadDraftInteropVersion, .uploadComplete, .uploadIncomplete].contains { fields[$0] != nil }
    }

    /// Returns the header fields that every response for a resumable upload has, including refusals.
    func resumableFields(_ head: HTTPRequest) -> HTTPFields {
        (ResumableRequest(head.headerFields).version ?? .eight).fields.merging([.cacheControl: "no-store"])
    }

    /// Returns `Upload-Limit`: the maximum size and the lifetime of an upload.
    func uploadLimit(_ head: HTTPRequest) -> HTTPFields {
        let version = ResumableRequest(head.headerFields).version ?? .eight
        let limit = UploadLimit(
            maximumSize: maximumSize.map { ByteCount($0) }, age: tus.expiry.components.seconds)
        return [.uploadLimit: limit.header(version)]
    }

    /// Serves a request of the IETF's resumable uploads.
    /// - Returns: The response; nil if the caller must handle the request as an ordinary one, for example as a form.
    func respondResumable(_ exchange: Exchange, path: String) async throws -> Response? {
        let head = exchange.head
        let request = ResumableRequest(head.headerFields)
        let id = path.hasPrefix(Self.tusPath) ? String(path.dropFirst(Self.tusPath.count)) : ""
        let isUpload = UploadID.isValid(id)
        guard let version = request.version else {
            // A client of another version can still send a whole file, which is stored like any other upload.
            if !isUpload, request.isComplete ?? true { return nil }
            throw Refusal(.badRequest, "Interop versions 6 and 8 are spoken here.")
        }
        if isUpload { return try await respondAboutUpload(exchange, id, request, version) }
        guard let isComplete = request.isComplete, head.method == .put || head.method == .post && path == "/"
        else { return nil }
        if head.method == .post, isForm(head) {
            if isComplete { return nil }
            throw Refusal(.unsupportedMediaType, "Forms cannot be resumed; send the file itself.")
        }
        return try await create(exchange, at: path, request, isComplete: isComplete)
    }

    private func respondAboutUpload(
        _ exchange: Exchange, _ id: String, _ request: ResumableRequest, _ version: InteropVersion
    ) async throws -> Response {
        switch exchange.head.method {
        case .head, .get, .delete:
            if version <= .six, request.isComplete != nil || request.offset != nil {
                throw Refusal(.badRequest, "Upload-Offset and Upload-Complete have no place in this request.")
            }
            return try await withUpload(id, exchange) { upload in
                if exchange.head.method != .delete { return try await state(&upload, exchange) }
                await remove(&upload)
                return Response(.noContent)
            }
        case .patch:
            try checkType(exchange, PartialUpload.mediaType)
            guard let offset = request.offset, let isComplete = request.isComplete else {
                throw Refusal(.badRequest, "Upload-Offset and Upload-Complete are needed.")
            }
            return try await withUpload(id, exchange) { upload in
                try await append(exchange, &upload, at: offset, isComplete: isComplete, success: .noContent)
            }
        default:
            throw Refusal(
                .methodNotAllowed, "Here only HEAD, PATCH and DELETE can be used.",
                fields: [.allow: "HEAD, GET, PATCH, DELETE, OPTIONS"])
        }
    }

    private func create(
        _ exchange: Exchange, at path: String, _ request: ResumableRequest, isComplete: Bool
    ) async throws -> Response {
        let fields = exchange.head.headerFields
        try checkRepresentation(fields)
        let wish: StoredPath
        if exchange.head.method == .put {
            wish = try StoredPath(requestPath: path)
            if fields[.ifNoneMatch] == "*", try await stored(wish) != nil { throw Self.nameExists }
        } else {
            wish = try Self.postedName(fields)
        }
        if let length = request.length, let content = exchange.length {
            guard isComplete ? content == length : content <= length else { throw Self.inconsistentLength }
        }
        let length = request.length ?? (isComplete ? exchange.length : nil)
        try await checkSize(length ?? exchange.length ?? 0)
        let terms = ResumableTerms(path: wish.text, digest: fields[.reprDigest])
        return try await withNewUpload(exchange, length: length, resumable: terms) { id, upload in
            if exchange.length != 0 {
                // The URL is sent before the content is read, so that a client can resume after a lost connection.
                let fields = resumableFields(exchange.head).merging(uploadLimit(exchange.head))
                try await exchange.sendInterim(
                    HTTPResponse(
                        status: .uploadResumptionSupported,
                        headerFields: fields.merging([.location: Self.tusPath + id])))
            }
            var response = try await append(
                exchange, &upload, at: 0, isComplete: isComplete, success: .created)
            if !isComplete { response.fields[.location] = Self.tusPath + id }
            return response
        }
    }

    private func state(_ upload: inout TusUpload?, _ exchange: Exchange) async throws -> Response {
        let held = try await settle(&upload)
        var response = Response(.noContent, fields: uploadLimit(exchange.head))
        response.fields[.uploadOffset] = "\(held.offset)"
        if held.upload.length != TusUpload.unknownLength {
            response.fields[.uploadLength] = "\(held.upload.length)"
        }
        guard case .finished(let path) = held.upload.state else {
            response.fields[.uploadComplete] = "?0"
            return response
        }
        response.fields[.uploadComplete] = "?1"
        guard let storedPath = StoredPath(text: path) else { return response }
        response.fields[.contentLocation] = storedPath.location
        try await tellDigest(of: held.upload, wantedBy: exchange, in: &response)
        return response
    }

    private static let inconsistentLength = Refusal(
        .badRequest, problem: "inconsistent-upload-length", "The file's length is not what was said before.")

    /// Stores the content at the offset `expected`. If `isComplete` is true, it ends the upload.
    /// - Parameter success: The status of the response if `isComplete` is false; always 201 for interop version 6.
    private func append(
        _ exchange: Exchange, _ upload: inout TusUpload?, at expected: Int, isComplete: Bool,
        success: HTTPResponse.Status
    ) async throws -> Response {
        let held = try await settle(&upload)
        let current = held.upload
        guard let file = held.file else {
            throw Refusal(.badRequest, problem: "completed-upload", "The upload is complete.")
        }
        guard held.offset == expected else {
            throw Refusal(
                .conflict, problem: "mismatching-upload-offset", "The upload ends elsewhere.",
                members: ["expected-offset": held.offset, "provided-offset": expected],
                fields: [.uploadOffset: "\(held.offset)", .uploadComplete: "?0"])
        }
        let demand = DigestDemand(exchange.head.headerFields)
        let size = try await receive(exchange, &upload, current, into: file, from: expected, demand)
        guard isComplete else {
            return Response(
                ResumableRequest(exchange.head.headerFields).version == .six ? .created : success,
                fields: uploadLimit(exchange.head).merging([
                    .uploadComplete: "?0", .uploadOffset: "\(size)",
                ]))
        }
        guard [size, TusUpload.unknownLength].contains(current.length) else { throw Self.inconsistentLength }
        return try await complete(&upload, current, file, size: size, demand)
    }

    /// Receives and syncs the content of one request. Returns the size of the data file.
    private func receive(
        _ exchange: Exchange, _ upload: inout TusUpload?, _ current: TusUpload, into file: OpenFile,
        from expected: Int, _ demand: DigestDemand
    ) async throws -> Int {
        let isKnown = current.length != TusUpload.unknownLength
        let limit = isKnown ? current.length : maximumSize
        var (size, ending) = (expected, BodyReceiver.Ending.tooLarge)
        if exchange.length ?? 0 <= (limit ?? .max) - expected {
            await noteResuming(current, at: expected)
            (size, ending) = await bodyReceiver.receive(
                exchange, id: current.id, into: file, from: expected, limit: limit)
        }
        if case .tooLarge = ending {
            try await takeBack(file, from: size, to: expected)
            guard isKnown else {
                throw Refusal(.contentTooLarge, "The file is larger than \(limit ?? 0) bytes.")
            }
            // A client that sends more than the declared length is faulty, so none of its bytes can be trusted.
            await tus.discard(current)
            upload = nil
            throw Self.inconsistentLength
        }
        try await offLoop { try file.synchronize() }
        // Incomplete content cannot be checked now. It is kept only if a digest of the whole file is checked later.
        if !ending.isComplete, !demand.content.isEmpty, current.resumable?.digest == nil {
            try await takeBack(file, from: size, to: expected)
            size = expected
        }
        if case .cut(let cut) = ending {
            await noteBreak(current, kept: size)
            throw cut
        }
        try ending.check(limit: limit)
        do {
            try await demand.check(demand.content, file, expected..<size)
        } catch let refusal as Refusal {
            try await takeBack(file, from: size, to: expected)
            throw refusal
        }
        return size
    }

    /// Renames the file to its final path if it has the client's digests. If one differs, removes the upload.
    private func complete(
        _ upload: inout TusUpload?, _ current: TusUpload, _ file: OpenFile, size: Int, _ demand: DigestDemand
    ) async throws -> Response {
        let digest: String?
        do {
            let whole = current.resumable?.digest.map(ServerDigest.dictionary) ?? []
            digest = try await demand.check(whole + demand.whole, file, 0..<size)
        } catch var refusal as Refusal {
            await tus.discard(current)
            upload = nil
            refusal.response.fields[.uploadComplete] = "?1"
            throw refusal
        }
        upload?.length = size
        try await finish(&upload)
        var response = Response(.created, fields: [.uploadComplete: "?1", .uploadOffset: "\(size)"])
        response.fields[.reprDigest] = digest
        guard case .finished(let path)? = upload?.state, let storedPath = StoredPath(text: path) else {
            return response
        }
        response.fields[.location] = storedPath.location
        response.fields[.eTag] = try await stored(storedPath)?.status.entityTag
        return response
    }
}
