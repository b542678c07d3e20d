import FerryFiles
import FerryProtocols
import HTTPTypes
import NIOCore

/// Handles requests: checks them, stores their content as files, and makes the responses.
struct Responder: Sendable {
    /// The folder in the URLs of resumable uploads: each upload has the path `/files/ID`.
    static let tusPath = "/files/"

    let uploadStore: UploadStore
    let tus: TusStore
    let authorizer: Authorizer
    let clients: ClientTable
    let lists: ByteQuota
    let metrics: ReceiverMetrics
    let bodyReceiver: BodyReceiver
    let configuration: ReceiverConfiguration
    let digests = DigestMemory()

    var maximumSize: Int? { configuration.maximumSize }

    private static let shownRequest = 300

    func respond(_ exchange: Exchange) async throws {
        do {
            if let issue = FramingError(markedIn: exchange.head.headerFields) { throw issue.refusal }
            try authorizer.check(exchange.head)
            clients.authorize(ObjectIdentifier(exchange.channel))
            try Self.checkDigests(exchange.head.headerFields)
            try await exchange.send(try await response(exchange))
        } catch {
            guard let refusal = Refusal(for: error) else { throw error }
            try await refuse(exchange, refusal)
        }
    }

    /// Refuses long digest fields, because `Repr-Digest` is stored with an unfinished upload.
    private static func checkDigests(_ fields: HTTPFields) throws(Refusal) {
        for name in [HTTPField.Name.reprDigest, .contentDigest] {
            guard fields[name]?.utf8.count ?? 0 <= StructuredField.longest else {
                throw Refusal(
                    .requestHeaderFieldsTooLarge,
                    "The field \(name) has more than \(StructuredField.longest) bytes.")
            }
        }
    }

    private func refuse(_ exchange: Exchange, _ refusal: Refusal) async throws {
        clients.refuse(ObjectIdentifier(exchange.channel))
        let request = "\(exchange.head.method.rawValue) \(exchange.head.path ?? "")"
        metrics.note(
            .refused(
                status: refusal.response.status.code, reason: refusal.reason,
                request: String(request.prefix(Self.shownRequest)),
                client: ClientAddress(exchange.channel.remoteAddress).text))
        var response = refusal.response
        if isResumable(exchange.head) {
            response.fields = resumableFields(exchange.head).merging(response.fields)
        } else if isTus(exchange.head) {
            response.fields = tusFields.merging(response.fields)
        }
        try await exchange.send(response)
    }

    private func response(_ exchange: Exchange) async throws -> Response {
        let path = String((exchange.head.path ?? "/").prefix { $0 != "?" })
        // WebDAV is checked before tus, because a stored folder may be named `files`, too.
        let folders = WebDAVFolders(
            uploadStore: uploadStore, memory: lists, allowListing: configuration.allowListing,
            methods: methods)
        switch exchange.head.method {
        case .propfind: return try await folders.properties(exchange, at: path)
        case .mkcol: return try await folders.makeFolder(exchange, at: path)
        default: break
        }
        if isResumable(exchange.head), var response = try await respondResumable(exchange, path: path) {
            response.fields = resumableFields(exchange.head).merging(response.fields)
            return response
        }
        if isTus(exchange.head) {
            var response = try await respondTus(exchange, path: path)
            response.fields = tusFields.merging(response.fields)
            return response
        }
        switch exchange.head.method {
        case .put: return try await put(exchange, at: path)
        case .post where path == "/":
            return isForm(exchange.head) ? try await form(exchange) : try await post(exchange)
        case .head where path != "/": return try await head(exchange, at: path)
        case .get where path != "/" && configuration.allowDownload:
            return try await get(exchange, at: path)
        case .options:
            return Response(
                .noContent, fields: uploadLimit(exchange.head).merging([.allow: methods, .dav: "1"]))
        default:
            throw Refusal(
                .methodNotAllowed,
                "This receiver takes PUT /NAME, POST / (resumable, too) and tus at \(Self.tusPath).",
                fields: [.allow: methods])
        }
    }

    private var methods: String {
        "PUT, POST, HEAD, \(configuration.allowDownload ? "GET, " : "")OPTIONS, PROPFIND, MKCOL"
    }

    func isForm(_ head: HTTPRequest) -> Bool {
        head.headerFields[.contentType]?.lowercased().hasPrefix("multipart/") ?? false
    }

    /// Returns true if tus serves the request: any for `/files` or `/files/`, and any but `PUT` below it that has
    /// `Tus-Resumable` or the path of an upload resource. The others are for a stored folder named `files`.
    private func isTus(_ head: HTTPRequest) -> Bool {
        let path = (head.path ?? "/").prefix { $0 != "?" }
        if path == Self.tusPath || path == Self.tusPath.dropLast() { return true }
        guard path.hasPrefix(Self.tusPath), head.method != .put else { return false }
        return head.headerFields[.tusResumable] != nil || UploadID.isValid(path.dropFirst(Self.tusPath.count))
    }
}

extension HTTPFields {
    /// Returns a copy with the header fields of `other`, which replace fields of the same name.
    func merging(_ other: HTTPFields) -> HTTPFields {
        var merged = self
        for field in other { merged[field.name] = field.value }
        return merged
    }
}

/// The identifiers of uploads: 128 random bits in hexadecimal, which other clients cannot guess.
enum UploadID {
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    static func isValid(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 32
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
