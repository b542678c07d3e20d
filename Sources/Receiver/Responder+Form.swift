import FerryFiles
import FerryProtocols
import HTTPTypes
import NIOCore

/// Uploads in forms (`multipart/form-data`). The files get their final names after the whole form has arrived.
extension Responder {
    private static let longestField = 64 << 10
    /// The maximum number of bytes of all names and values of one form, which stay in memory.
    private static let allFieldsBytes = 1 << 20

    func form(_ exchange: Exchange) async throws -> Response {
        if let length = exchange.length { try await checkSize(length, files: 0) }
        var intake = FormIntake(
            parser: try MultipartParser(contentType: exchange.head.headerFields[.contentType] ?? ""))
        do {
            try await receive(exchange, into: &intake)
            let response = try await publish(&intake)
            // The quota counts only the stored files, not the form fields and the boundaries.
            metrics.quota.giveBack(intake.bodyBytes)
            return response
        } catch {
            // Files that already have their final paths are not in `intake.files` any more, and stay.
            for file in intake.files { try? await discard(file.id, bytes: 0) }
            metrics.quota.giveBack(intake.bodyBytes)
            for file in intake.files {
                metrics.note(.interrupted(id: file.id, name: file.path.text, kept: 0))
            }
            throw error
        }
    }

    private func receive(_ exchange: Exchange, into intake: inout FormIntake) async throws {
        while let chunk = try await exchange.read() {
            let count = chunk.readableBytes
            if let maximumSize, count > maximumSize - intake.bodyBytes {
                throw Refusal(.contentTooLarge, "The form is larger than \(maximumSize) bytes.")
            }
            guard metrics.quota.take(count) else { throw Refusal.overQuota }
            intake.bodyBytes += count
            for event in try intake.parser.parse(Array(buffer: chunk)) {
                switch event {
                case .partBegan(let part): try await begin(part, in: &intake)
                case .content(let bytes): try await take(bytes, in: &intake)
                case .partEnded: try await end(&intake)
                }
            }
            try await bodyReceiver.rate?.pass(count)
        }
        try intake.parser.finish()
    }

    private func begin(_ part: MultipartParser.Part, in intake: inout FormIntake) async throws {
        intake.fieldBytes += part.name.utf8.count + (part.filename?.utf8.count ?? 0)
        guard intake.fieldBytes <= Self.allFieldsBytes else {
            throw Refusal(
                .contentTooLarge,
                "The names and fields of the form are larger than \(Self.allFieldsBytes) bytes.")
        }
        guard let filename = part.filename else {
            intake.current = .field(name: part.name, value: [])
            return
        }
        let isNamed = !filename.isEmpty
        let path =
            isNamed ? try StoredPath(clientName: filename) : StoredPath(file: try Self.madeUpName())
        let id = UploadID.make()
        let file = try await offLoop { try uploadStore.create(id) }
        intake.files.append(FormIntake.File(id: id, field: part.name, path: path, isNamed: isNamed))
        metrics.note(.created(id: id, name: path.text, size: nil))
        intake.current = .file(PartWriter(file: file, offset: 0, metrics: metrics))
    }

    private func take(_ bytes: ArraySlice<UInt8>, in intake: inout FormIntake) async throws {
        switch intake.current {
        case .none:
            return
        case .field(let name, let value):
            intake.fieldBytes += bytes.count
            guard value.count + bytes.count <= Self.longestField, intake.fieldBytes <= Self.allFieldsBytes
            else {
                throw Refusal(.contentTooLarge, "A field of the form is too long. Does its file lack a name?")
            }
            intake.current = .field(name: name, value: value + bytes)
        case .file(var writer):
            writer.append(ByteBuffer(bytes: bytes))
            if writer.isFull { try await writer.flush() }
            intake.current = .file(writer)
        }
    }

    private func end(_ intake: inout FormIntake) async throws {
        switch intake.current {
        case .none:
            return
        case .field(let name, let value):
            intake.receipt.fields.append([name, String(decoding: value, as: UTF8.self)])
        case .file(var writer):
            try await writer.flush()
            let file = writer.file
            try await offLoop { try file.synchronize() }
            if let last = intake.files.indices.last { intake.files[last].size = writer.offset }
        }
        intake.current = .none
    }

    /// Renames the files to their final paths. Removes each from `intake`, so that a later error does not discard it.
    private func publish(_ intake: inout FormIntake) async throws -> Response {
        while let file = intake.files.first {
            // If the user chose no file, browsers send the form field as an empty file without a name.
            guard file.isNamed || file.size > 0 else {
                try await discard(file.id, bytes: 0)
                intake.files.removeFirst()
                continue
            }
            let path = try await offLoop { try uploadStore.publish(file.id, as: file.path) }
            intake.files.removeFirst()
            intake.bodyBytes -= file.size
            metrics.note(.finished(id: file.id, name: path.text, size: file.size))
            intake.receipt.files.append(
                FormReceipt.File(
                    field: file.field, name: path.text, size: file.size, location: path.location))
        }
        let files = intake.receipt.files
        var response = Response(files.isEmpty ? .ok : .created)
        if files.count == 1 { response.fields[.location] = files[0].location }
        response.fields[.contentType] = "application/json"
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        response.body = ByteBuffer(bytes: try encoder.encode(intake.receipt) + Data("\n".utf8))
        return response
    }
}

/// A form that is being received. Only the file of the current part is open, because a form can have a thousand files.
private struct FormIntake {
    struct File: Sendable {
        let id: String
        let field: String
        let path: StoredPath
        let isNamed: Bool
        var size = 0
    }

    enum Current {
        case none
        case field(name: String, value: [UInt8])
        case file(PartWriter)
    }

    var parser: MultipartParser
    var current = Current.none
    var files: [File] = []
    var receipt = FormReceipt()
    /// The number of received bytes of field names, file names and field values. The content of files does not count.
    var fieldBytes = 0
    /// The number of received bytes of the body, without the files that already have their final paths.
    var bodyBytes = 0

    init(parser: MultipartParser) { self.parser = parser }
}

/// The JSON body of the response to a form.
private struct FormReceipt: Encodable {
    struct File: Encodable {
        var field: String
        var name: String
        var size: Int
        var location: String
    }

    var files: [File] = []
    /// The names and values of the form fields that are not files.
    var fields: [[String]] = []
}
