import Foundation
import HTTPTypes

@testable import FerryProtocols

extension FuzzSurface {
    /// Whole uploads by every protocol. The input chooses the protocol, the file and the options, and then acts as the
    /// server.
    static let uploads = FuzzSurface("uploads") { input in
        var play = UploadPlay(input)
        play.run()
    }

    /// Checks of destinations by every protocol that has a check. The leftovers that a check finds are removed, as
    /// `ferry check` does.
    static let checks = FuzzSurface("checks") { input in
        var server = FuzzServer(input)
        let entries = ProtocolCatalog.entries.filter { $0.check("", ProtocolOptions()) != nil }
        let entry = server.input.pick(entries)
        server.address = server.input.pick(UploadPlay.addresses)
        guard var check = entry.check(server.address, server.options()) else { return }
        var step = check.start()
        for _ in 0..<UploadPlay.exchangeLimit {
            switch step {
            case .send(let exchange):
                UploadPlay.examine(exchange, for: server)
                step = check.receive(server.reply(to: exchange))
            case .finished(let report):
                promise(report.findings.allSatisfy { !$0.contains("\n") }, "a finding of two lines")
                let item = server.item()
                for leftover in report.leftovers.prefix(8) {
                    let maker = entry.make(item, ProtocolOptions())
                    for exchange in maker.removal(of: leftover.resource) {
                        UploadPlay.examine(exchange, for: server)
                    }
                }
                return
            case .failed(let failure): return UploadPlay.examine(failure)
            }
        }
    }
}

/// One upload to a server that the input plays, with the checks that must hold whatever the server does.
private struct UploadPlay {
    static let addresses = [
        "https://server.example/files/", "http://server.example/files/?sig=1&sv=2",
        "https://bucket.s3.amazonaws.com/a/", "https://www.googleapis.com/upload/storage/v1/b/c/o",
        "https://graph.microsoft.com/v1.0/me/drive/root:/a:/createUploadSession",
        "https://a.blob.core.windows.net/c/?sig=1", "http://127.0.0.1/remote.php/dav/files/me/",
        "http://unix/a", "not an address",
    ]
    /// The limit of requests without progress, the same as in `UploadAttempt`.
    static let exchangeLimit = 128

    private var server: FuzzServer
    private let entry: ProtocolCatalog.Entry
    private let item: UploadItem
    private let options: ProtocolOptions
    private var known: UploadResource?
    private var capabilities: ServerCapabilities?

    init(_ input: FuzzBytes) {
        server = FuzzServer(input)
        entry = server.input.pick(ProtocolCatalog.entries)
        server.address = server.input.pick(Self.addresses)
        item = server.item()
        options = server.options()
    }

    mutating func run() {
        var exchanges = 0
        // After a crash or a broken connection, the upload resumes with the recorded resource.
        for _ in 0..<3 where !server.input.isEmpty {
            var upload = entry.make(item, options)
            exchanges += attempt(&upload, from: exchanges)
            if let known {
                for exchange in upload.removal(of: known) { Self.examine(exchange, for: server) }
            }
        }
    }

    private mutating func attempt(_ upload: inout any UploadProtocol, from first: Int) -> Int {
        var step = upload.start(resource: known, capabilities: capabilities)
        var underWay: [Exchange] = []
        var count = 0
        while count < Self.exchangeLimit {
            take(step.notes)
            switch step {
            case .done(let receipt, _):
                promise(receipt.location.map { $0.utf8.count <= 2 * UploadAddress.longest } ?? true)
                return count
            case .failed(let failure, _):
                Self.examine(failure)
                return count
            case .send, .sendAll, .wait: break
            }
            for exchange in step.exchanges {
                Self.examine(exchange, for: server)
                promise(rangeIsWithinFile(exchange.body), "bytes that the file does not have")
            }
            underWay += step.exchanges
            promise(underWay.count <= 64, "more requests at once than anybody asked for")
            guard !underWay.isEmpty, !server.input.isEmpty else { return count }
            let exchange = underWay.remove(at: server.input.number(below: underWay.count))
            step = upload.receive(server.reply(to: exchange), to: exchange)
            count += 1
        }
        return count
    }

    private mutating func take(_ notes: [Step.Note]) {
        for note in notes {
            switch note {
            case .resource(let resource):
                known = resource
                guard let resource else { continue }
                promise((0...item.size).contains(resource.confirmed), "confirmed \(resource.confirmed)")
                if let parts = resource.parts {
                    promise(parts.stored >= 0 && parts.stored <= parts.planned, "parts \(parts)")
                }
                promise(resource.url.utf8.count <= 2 * UploadAddress.longest, "an address without bound")
            case .capabilities(let found): capabilities = found
            case .serverLost(let bytes): promise(bytes >= 0)
            }
        }
    }

    private func rangeIsWithinFile(_ body: Exchange.Body) -> Bool {
        guard case .file(let range, _, _) = body else { return true }
        return range.lowerBound >= 0 && range.upperBound <= item.size
    }

    /// Traps if a request breaks a rule that all requests must follow.
    static func examine(_ exchange: Exchange, for server: FuzzServer) {
        promise(exchange.contentLength >= 0)
        promise(exchange.url.utf8.count <= 4 * UploadAddress.longest, "an address without bound")
        promise(
            exchange.url.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F } || server.home == nil,
            "a control character in \(exchange.url.debugDescription)")
        for field in exchange.fields {
            promise(field.value.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x09 }, "a line break in a field")
        }
        guard !exchange.traits.contains(.withoutCredentials), let home = server.home,
            !exchange.url.hasPrefix(server.address)
        else { return }
        let goal = URL(string: exchange.url).flatMap(UploadAddress.origin)
        promise(goal == home, "credentials for \(home) go to \(exchange.url)")
    }

    static func examine(_ failure: UploadFailure) {
        promise(!failure.summary.isEmpty)
        promise(failure.retryAfter.map { $0 >= 0 && $0.isFinite } ?? true)
        promise(failure.summary.utf8.count < 64 << 10, "a summary without bound")
        // The name of the file stays as it is in messages. The screen escapes it.
        let summary = failure.summary.replacing("a\r\nb", with: "")
        promise(
            !summary.unicodeScalars.contains { $0.value < 0x20 },
            "a control character is shown: \(summary.debugDescription)")
    }
}

/// A server whose responses the input chooses. Most of them are what the protocol expects, with other numbers and URLs.
private struct FuzzServer {
    var input: FuzzBytes
    var address = "" {
        didSet { home = URL(string: address).flatMap(UploadAddress.origin) }
    }
    /// The origin of the destination's URL; nil if the URL has none.
    private(set) var home: String?
    private var size: ByteCount = 10

    init(_ input: FuzzBytes) { self.input = input }

    mutating func item() -> UploadItem {
        size = input.pick([10, 0, 1, 5 << 20, 100 << 20, 5 << 40, .max])
        return UploadItem(
            url: address, name: input.pick(["a.bin", "b/ä €.txt", "..", "a\r\nb", ""]), size: size,
            modified: input.isTrue() ? Date(timeIntervalSince1970: 1_790_000_000) : nil, key: "key-1",
            parameters: input.isTrue() ? [.init(name: "a b", value: "c,d\r\n")] : [])
    }

    mutating func options() -> ProtocolOptions {
        let flags = input.byte()
        var options = ProtocolOptions(
            chunkSize: input.pick([nil, 1, 3, 5 << 20, .max]),
            parallelRequests: input.pick([nil, 1, 4]),
            checksum: input.pick([nil, .sha1, .sha256, .md5, .crc32c, .crc64nvme]),
            existing: input.pick([nil, .skip, .replace, .rename, .fail]), defersLength: flags & 1 != 0,
            createsWithContent: flags & 16 != 0)
        options.sendsIdempotencyKey = flags & 2 != 0
        options.isGivenAddress = flags & 4 != 0
        if flags & 8 != 0 { options.link = .header(.location) }
        return options
    }

    mutating func reply(to exchange: Exchange) -> ExchangeOutcome {
        let kind = input.byte()
        if kind < 32 {
            let category = input.pick([UploadFailure.Category.network, .timedOut, .server, .signInPage])
            let sent: ByteCount? = input.isTrue() ? number(near: exchange.contentLength) : nil
            return .broken(
                UploadFailure(category, "the connection broke"),
                bodySent: sent.map { max(0, min($0, exchange.contentLength)) })
        }
        var answer = ExchangeOutcome.Response(status: input.pick(Self.statuses))
        for _ in 0..<(kind & 7) {
            let name = input.pick(Self.names)
            answer.fields[name] = value()
        }
        answer.body = body()
        answer.digests = exchange.digests.map(computed)
        if (200..<300).contains(answer.status) {
            let reported = ServerDigest.algorithms(in: answer, exchange.reportedIn)
            answer.digests += exchange.digestsIfReported.filter { reported.contains($0.algorithm) }.map(
                computed)
        }
        answer.carriedCredentials = kind & 64 == 0
        return .responded(answer)
    }

    private func computed(_ order: DigestRequest) -> ComputedDigest {
        let length =
            switch order.algorithm {
            case .md5: 16
            case .sha1: 20
            case .sha256: 32
            case .crc32c: 4
            case .crc64nvme: 8
            }
        return ComputedDigest(order.algorithm, of: order.range, bytes: [UInt8](repeating: 0, count: length))
    }

    private mutating func number(near goal: ByteCount) -> ByteCount {
        input.pick([0, 1, goal / 2, goal - 1, goal, goal &+ 1, -1, .max, .min])
    }

    private mutating func value() -> String {
        switch input.byte() % 8 {
        case 0, 1: "\(number(near: size))"
        case 2: input.pick(Self.values)
        case 3: address + input.pick(["", "7", "?upload_id=7", "../x", "/y"])
        case 4: "bytes=0-\(number(near: size))"
        default: String(decoding: input.bytes(upTo: 256), as: UTF8.self)
        }
    }

    private mutating func body() -> [UInt8] {
        switch input.byte() % 4 {
        case 0: return []
        case 1: return input.bytes(upTo: 512)
        default:
            var text = input.pick(Self.documents)
            while let mark = text.firstRange(of: "$N") {
                text.replaceSubrange(mark, with: "\(number(near: size))")
            }
            while let mark = text.firstRange(of: "$V") { text.replaceSubrange(mark, with: value()) }
            return Array(text.utf8)
        }
    }

    private static let statuses = [
        200, 201, 204, 206, 207, 202, 304, 308, 301, 302, 303, 307, 400, 401, 403, 404, 405, 409, 410, 411,
        412, 413,
        415, 416, 417, 422, 423, 428, 429, 460, 500, 501, 502, 503, 504, 507, 511, 0, 99, 600, 999, -1,
    ]

    private static let names: [HTTPField.Name] =
        [
            .location, .eTag, .contentType, .contentLength, .contentRange, .range, .retryAfter, .date, .allow,
            .server,
            .wwwAuthenticate, .lastModified,
        ]
        + [
            "Upload-Offset", "Upload-Length", "Tus-Resumable", "Tus-Version", "Tus-Extension", "Tus-Max-Size",
            "Tus-Checksum-Algorithm", "Upload-Expires", "Upload-Metadata", "Upload-Concat", "Upload-Complete",
            "Upload-Incomplete", "Upload-Limit", "Upload-Draft-Interop-Version", "Repr-Digest",
            "Want-Repr-Digest",
            "OC-Checksum", "OC-ETag", "DAV", "MS-Author-Via", "x-amz-request-id", "x-amz-checksum-sha256",
            "x-amz-checksum-crc64nvme", "x-amz-checksum-type", "x-amz-bucket-region", "x-ms-error-code",
            "x-ms-request-id", "x-goog-hash", "x-guploader-uploadid", "X-Goog-Upload-Status",
            "Content-Location",
            "Accept-Patch", "Accept-Ranges", "X-Update-Range", "Link",
        ].compactMap { HTTPField.Name($0) }

    private static let values = [
        "1.0.0", "creation,creation-with-upload,termination,checksum,concatenation,expiration",
        "sha1,md5,crc32c",
        "?1", "?0", "max-size=100, min-size=0, max-append-size=5, min-append-size=9", "\"7\"", "W/\"7\"", "8",
        "6", "5",
        "3", "1, 2, 3", "OPTIONS, PUT, PATCH, MKCOL, PROPFIND, MOVE", "text/html", "application/json",
        "Wed, 21 Oct 2026 07:28:00 GMT", "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:",
        "https://evil.example/x", "//evil.example/x", "/files/7",
        "Digest realm=\"a\", nonce=\"b\", qop=\"auth\"",
        "partial", "final;/a /b", "COMPOSITE", "FULL_OBJECT", "active", "final", "sabredav-partialupdate",
    ]

    private static let documents = [
        "<InitiateMultipartUploadResult><UploadId>$V</UploadId></InitiateMultipartUploadResult>",
        """
        <ListPartsResult><IsTruncated>$V</IsTruncated><NextPartNumberMarker>$N</NextPartNumberMarker>\
        <Part><PartNumber>1</PartNumber><ETag>"7"</ETag><Size>$N</Size></Part>\
        <Part><PartNumber>$N</PartNumber><ETag>$V</ETag><Size>$N</Size></Part></ListPartsResult>
        """,
        "<CompleteMultipartUploadResult><ETag>$V</ETag><Location>$V</Location></CompleteMultipartUploadResult>",
        "<Error><Code>$V</Code><Message>$V</Message><Region>$V</Region></Error>",
        "<Error><Code>NoSuchUpload</Code></Error>", "<Error><Code>EntityTooSmall</Code></Error>",
        "<Error><Code>InvalidPart</Code></Error>",
        "<Error><Code>NotImplemented</Code><Header>$V</Header></Error>",
        """
        <ListMultipartUploadsResult><Upload><Key>$V</Key><UploadId>$V</UploadId><Initiated>2026-01-01T00:00:00Z\
        </Initiated></Upload></ListMultipartUploadsResult>
        """,
        """
        <d:multistatus xmlns:d="DAV:"><d:response><d:href>$V</d:href><d:propstat><d:status>HTTP/1.1 200 OK</d:status>\
        <d:prop><d:getcontentlength>$N</d:getcontentlength><d:getetag>$V</d:getetag><d:resourcetype/></d:prop>\
        </d:propstat></d:response></d:multistatus>
        """,
        "<BlockList><UncommittedBlocks><Block><Name>$V</Name><Size>$N</Size></Block></UncommittedBlocks></BlockList>",
        #"{"kind":"storage#object","name":"a","size":"$N","md5Hash":"$V","crc32c":"AAAAAA==","selfLink":"$V"}"#,
        #"{"uploadUrl":"$V","expirationDateTime":"2030-01-01T00:00:00Z","nextExpectedRanges":["$N-$N","$V"]}"#,
        #"{"id":"1","size":$N,"webUrl":"$V","file":{"hashes":{"sha1Hash":"$V"}}}"#,
        #"{"error":{"code":"$V","message":"$V"}}"#, #"{"error":"$V","error_description":"$V"}"#,
        "<html><body>$V</body></html>", "ERR_UPLOAD_INTERRUPTED: $V",
    ]
}
