import Foundation
import HTTPTypes

@testable import FerryProtocols

extension FuzzSurface {
    /// XML responses. Every element that is read must be one that a server can have meant.
    static let xml = FuzzSurface("xml") { input in
        guard let root = XMLDocument.parse(input.all) else { return }
        promise(root.descendants.allSatisfy { !$0.name.isEmpty })
        let escaped = XMLDocument.escaped(input.text)
        promise(!escaped.contains("<") && !escaped.contains(">"))
        let again = XMLDocument.parse(Array("<a>\(escaped)</a>".utf8))
        promise(again != nil, "what was escaped cannot be read")
    }

    /// Bodies of forms, in chunks of any size. The events must not depend on the chunks.
    static let multipart = FuzzSurface("multipart") { input in
        var input = input
        let boundary = input.isTrue() ? "b" : String(decoding: input.bytes(upTo: 80), as: UTF8.self)
        var cut = input
        let chunks = cut.chunks()
        let whole = chunks.flatMap { $0 }
        guard let first = try? MultipartTrace([whole], boundary: boundary) else { return }
        let second = try? MultipartTrace(chunks, boundary: boundary)
        promise(second == first, "a form is read in another way when it is cut elsewhere")
    }

    /// The header fields of responses, one at a time.
    static let fields = FuzzSurface("fields") { input in
        var input = input
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        let kind = input.byte() % 16
        let text = input.text
        switch kind {
        case 0:
            if let date = HTTPDate.parse(text, now: now) {
                promise(HTTPDate.parse(HTTPDate.format(date), now: now) == date)
            }
        case 1:
            let seconds = RetryAfter.seconds(in: [.retryAfter: text, .date: text], now: now)
            promise(seconds.map { (0...RetryAfter.longest).contains($0) } ?? true)
        case 2:
            for challenge in AuthenticationChallenge.list(text) { promise(!challenge.scheme.isEmpty) }
            _ = AuthenticationChallenge.parameters(text)
        case 3: promise(StructuredField.count(text).map { $0 >= 0 } ?? true)
        case 4: _ = StructuredField.boolean(text)
        case 5:
            guard let limit = UploadLimit(text) else { return }
            let size = limit.appendSize(left: 1000, wish: 100)
            promise((1...1000).contains(size), "an append of no bytes, or of more than there are")
            _ = UploadLimit(limit.header())
            _ = limit.refusal(ofSize: 1000)
        case 6: _ = ServerDigest.dictionary(text)
        case 7: _ = ServerDigest.in([.ocChecksum: text, .reprDigest: text, .eTag: text])
        case 8: promise(ContentRange.held(text).map { $0 >= 0 } ?? true)
        case 9: promise(ContentRange.firstExpected([text]).map { $0 >= 0 } ?? true)
        case 10: _ = TusMetadata(header: text)
        case 11:
            if let name = ContentDisposition.filename(in: text) {
                _ = ContentDisposition.inline(filename: name)
            }
        case 12: _ = ParameterizedField(text)
        case 13: promise(ExchangeOutcome.Response.count(text).map { $0 >= 0 } ?? true)
        case 14: _ = InteropVersion(field: text)
        default: _ = S3EntityTag(text)
        }
    }

    /// The URLs that servers send.
    static let addresses = FuzzSurface("addresses") { input in
        var input = input
        let bases = ["https://server.example/files/?key=1", "http://10.0.0.1:8080/a/b", "http://[::1]/"]
        let base = input.pick(bases)
        let location = input.text
        if let resolved = try? UploadAddress.resolve(location, against: base) {
            promise(resolved.utf8.count <= UploadAddress.longest)
            promise(resolved.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }, "a control character stays")
            let origin = URL(string: resolved).flatMap(UploadAddress.origin)
            promise(origin == URL(string: base).flatMap(UploadAddress.origin), "another origin")
        }
        if let url = UploadAddress.absolute(location, against: base), let from = URL(string: base) {
            _ = UploadAddress.leadsInside(url, from: from)
        }
        _ = UploadAddress.expectation(brokenBy: location)
        let filled = UploadAddress.address("https://server.example/", for: location)
        let server = URL(string: filled).flatMap(UploadAddress.origin)
        promise(server == "https://server.example:443", "a file name changes the server")
        _ = try? S3Location(location)
        let dav = WebDAVAddress("https://server.example/" + WebDAVAddress.quoted(location))
        _ = dav.temporary(key: "key-1")
        _ = JSONPointer(location)?.text(in: Array(location.utf8))
    }
}

/// The parts of a form as they were read, each with its whole content.
private struct MultipartTrace: Equatable {
    var parts: [MultipartParser.Part] = []
    var contents: [[UInt8]] = []
    var ended = 0

    init(_ chunks: [[UInt8]], boundary: String) throws(MultipartError) {
        let limits = MultipartParser.Limits(headerBytes: 256, parts: 8)
        var parser = try MultipartParser(boundary: boundary, limits: limits)
        for chunk in chunks { add(try parser.parse(chunk)) }
        try parser.finish()
    }

    private mutating func add(_ events: [MultipartParser.Event]) {
        for event in events {
            switch event {
            case .partBegan(let part):
                parts.append(part)
                contents.append([])
            case .content(let bytes):
                promise(contents.count == ended + 1, "content outside of a part")
                contents[contents.count - 1] += bytes
            case .partEnded: ended += 1
            }
        }
    }
}
