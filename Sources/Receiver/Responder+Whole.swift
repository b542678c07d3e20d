import Foundation
import HTTPTypes
import UploadProtocols

/// Uploads that come in one request: all of it is stored, or nothing.
extension Responder {
    func put(_ exchange: Exchange, at path: String) async throws -> Answer {
        let wish: StoredPath
        do { wish = try StoredPath(requestPath: path) } catch { throw Refusal(error) }
        if exchange.head.headerFields[.ifNoneMatch] == "*", try await stored(wish) != nil {
            throw Refusal(.preconditionFailed, "A file of that name exists.")
        }
        return try await store(exchange, as: wish)
    }

    func post(_ exchange: Exchange) async throws -> Answer {
        let disposition = exchange.head.headerFields[.contentDisposition].map(ParameterizedField.init)
        guard let filename = disposition?["filename"], !filename.isEmpty else {
            return try await store(exchange, as: StoredPath(file: try Self.madeUpName()))
        }
        do {
            return try await store(exchange, as: StoredPath(file: try SafeName.last(of: filename)))
        } catch let problem as NameProblem {
            throw Refusal(problem)
        }
    }

    static func madeUpName() throws(Refusal) -> SafeName {
        do { return try SafeName("upload-\(UploadID.make().prefix(8))") } catch { throw Refusal(error) }
    }

    private func store(_ exchange: Exchange, as wish: StoredPath) async throws -> Answer {
        let fields = exchange.head.headerFields
        // RFC 9110 §14.4: a part of a file must not be taken for the whole.
        guard fields[.contentRange] == nil else {
            throw Refusal(.badRequest, "Content-Range is not understood here; use tus to resume.")
        }
        guard fields[.uploadComplete] == nil else {
            throw Refusal(.notImplemented, "Upload-Complete is not understood here; use tus to resume.")
        }
        guard ["identity", nil].contains(fields[.contentEncoding]?.lowercased()) else {
            throw Refusal(
                .unsupportedMediaType, "Content-Encoding is not understood here; send the file as it is.")
        }
        try checkLength(exchange)
        let id = UploadID.make()
        ledger.note(.created(id: id, name: wish.text, size: exchange.length))
        let inbox = inbox
        let file = try await offLoop { () throws(SystemError) in try inbox.create(id) }
        let (size, ending) = await reception.receive(
            exchange, id: id, into: file, from: 0, limit: maximumSize)
        do {
            if case .cut = ending { throw Exchange.Cut.connectionLost }
            if let refusal = ending.refusal(limit: maximumSize) { throw refusal }
            let (path, status) = try await offLoop { () throws(SystemError) in
                try file.sync()
                return (try inbox.publish(id, as: wish), try file.status())
            }
            ledger.note(.finished(id: id, name: path.text, size: size))
            return Answer(.created, fields: [.location: path.location, .eTag: status.entityTag])
        } catch {
            try? await discard(id, bytes: size)
            ledger.note(.interrupted(id: id, kept: 0))
            throw error
        }
    }

    func discard(_ id: String, bytes: Int) async throws(SystemError) {
        let inbox = inbox
        try await offLoop { () throws(SystemError) in try inbox.discard(id) }
        ledger.giveBack(bytes)
    }

    /// Refuses by Content-Length, before any of the content has come.
    func checkLength(_ exchange: Exchange) throws(Refusal) {
        guard let length = exchange.length else { return }
        try checkSize(length)
    }

    func checkSize(_ size: Int) throws(Refusal) {
        if let maximumSize, size > maximumSize {
            throw Refusal(.contentTooLarge, "The content is larger than \(maximumSize) bytes.")
        }
        if let room = ledger.room, size > room {
            throw Refusal(.insufficientStorage, "The receiver's quota is used up.")
        }
    }

    func head(at path: String) async throws -> Answer {
        let status = try await find(path).status
        return Answer(
            .ok,
            fields: [
                .contentLength: "\(status.size)", .eTag: status.entityTag,
                .lastModified: status.modified.httpDate,
            ])
    }

    func get(_ exchange: Exchange, at path: String) async throws -> Answer {
        let (file, status) = try await find(path)
        try await exchange.send(
            file, size: status.size,
            fields: [
                .contentType: "application/octet-stream", .contentDisposition: "attachment",
                .eTag: status.entityTag, .lastModified: status.modified.httpDate,
            ])
        return Answer(.ok)
    }

    private func find(_ path: String) async throws -> (file: PartFile, status: PartFile.Status) {
        let wish: StoredPath
        do { wish = try StoredPath(requestPath: path) } catch { throw Refusal(error) }
        guard let found = try await stored(wish) else { throw Refusal(.notFound, "There is no such file.") }
        return found
    }

    private func stored(
        _ path: StoredPath
    ) async throws(SystemError) -> (file: PartFile, status: PartFile.Status)? {
        let inbox = inbox
        return try await offLoop { () throws(SystemError) in try inbox.stored(path) }
    }
}
