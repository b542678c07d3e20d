import FerryProtocols
import FerryStateSimulation
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

struct RecordTests {
    private func roundTrip(_ upload: Upload) throws -> Upload {
        var writer = JSONWriter()
        writer.upload(upload, unknown: nil)
        return try writer.bytes.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            var last = RepeatedTarget()
            let upload = try scanner.upload(last: &last).0
            #expect(scanner.isAtEnd)
            return upload
        }
    }

    private static let now = Date(timeIntervalSinceReferenceDate: 813_456_789.123_456_7)
    private static let failure = UploadFailure(
        .server, "the server says \"no\"\n", hint: "press r", status: 503, retryAfter: 0.1)

    @Test(
        arguments: [
            .queued, .running(attempt: 3, since: now), .waiting(until: now, failure: failure), .paused([]),
            .paused(.user), .paused([.user, .offline]), .paused(Upload.PauseReasons(rawValue: 4 | 1)),
            .paused(Upload.PauseReasons(rawValue: .min)), .held(failure),
            .held(UploadFailure(.outcomeUnknown, "")),
            .done(Receipt(location: "https://h/x", entityTag: "\"e\"", bytes: 7, duration: 1e-300), at: now),
            .done(Receipt(duration: .infinity), at: .distantPast), .failed(failure),
            .waiting(until: now, failure: UploadFailure(.sourceAway, "away")),
            .waiting(until: now, failure: UploadFailure(.descriptors, "none left")),
            .waiting(until: now, failure: UploadFailure(.network, "refused", detail: .refused)),
            .failed(UploadFailure(.network, "?", detail: UploadFailure.Detail(rawValue: "new"))),
        ] as [Upload.State])
    func `every state comes back as it was`(state: Upload.State) throws {
        #expect(try roundTrip(.make(state: state)) == .make(state: state))
    }

    @Test(arguments: [UploadFailure.Category.sourceAway, .descriptors])
    func `F13 a cause that is new has an older name beside it, for versions that do not know it`(
        category: UploadFailure.Category
    ) throws {
        var writer = JSONWriter()
        writer.upload(
            .make(state: .waiting(until: Self.now, failure: UploadFailure(category, "s"))), unknown: nil)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any])
        let state = try #require(object["state"] as? [String: Any])
        #expect(state["category"] as? String == "network")
        #expect(state["cause"] as? String == category.rawValue)
    }

    @Test func `F13 an unknown cause is kept as it is`() throws {
        var writer = JSONWriter()
        writer.upload(
            .make(state: .waiting(until: Self.now, failure: UploadFailure(.sourceAway, "s"))), unknown: nil)
        let text = String(decoding: writer.bytes, as: UTF8.self)
            .replacingOccurrences(of: "\"sourceAway\"", with: "\"fromTheFuture\"")
        try Array(text.utf8).withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            var last = RepeatedTarget()
            let (upload, unknown) = try scanner.upload(last: &last)
            #expect(UploadFailure.of(upload.state)?.category == .network)
            var again = JSONWriter()
            again.upload(upload, unknown: unknown)
            #expect(String(decoding: again.bytes, as: UTF8.self).contains("\"cause\":\"fromTheFuture\""))
        }
    }

    @Test(
        arguments: [
            Receipt(verified: .sha256), Receipt(verified: .crc64nvme, wasThere: true),
            Receipt(wasThere: true), Receipt(location: "l", bytes: 1, chosen: "s3"),
        ])
    func `a receipt's digest, skip and chosen protocol come back`(receipt: Receipt) throws {
        let state = Upload.State.done(receipt, at: Self.now)
        #expect(try roundTrip(.make(state: state)).state == state)
    }

    @Test(arguments: SourceDisposition.allCases)
    func `F4 the disposition of the file's name comes back`(source: SourceDisposition) throws {
        let state = Upload.State.done(Receipt(source: source), at: Self.now)
        #expect(try roundTrip(.make(state: state)).state == state)
    }

    @Test(arguments: [0, 1, 3])
    func `F1 how often a file changed comes back, and is not written if it never did`(changes: Int) throws {
        var upload = Upload.make()
        upload.tries.attempts = 4
        upload.tries.changes = changes
        #expect(try roundTrip(upload) == upload)
        var writer = JSONWriter()
        writer.upload(upload, unknown: nil)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(text.contains(#","changes":"#) == (changes > 0))
    }

    @Test(arguments: ExistingFilePolicy.allCases)
    func `the policy for an existing file comes back`(existing: ExistingFilePolicy) throws {
        var upload = Upload.make()
        upload.target.existing = existing
        #expect(try roundTrip(upload) == upload)
    }

    @Test(
        arguments: [
            nil, Upload.StartCondition(notBefore: now), Upload.StartCondition(after: [3...3, 7...12]),
            Upload.StartCondition(notBefore: .distantFuture, after: [0...1]),
        ])
    func `the batch and what must be so before the start come back`(start: Upload.StartCondition?) throws {
        var upload = Upload.make(99)
        upload.start = start
        #expect(try roundTrip(upload) == upload)
        upload.batch = "Fotos \"2026\" 📷"
        #expect(try roundTrip(upload) == upload)
    }

    @Test func `nothing is written of a batch and a start where there are none`() {
        var upload = Upload.make()
        upload.batch = "night"
        upload.start = Upload.StartCondition(after: [0...0])
        var planned = JSONWriter()
        planned.upload(upload, unknown: nil)
        upload.batch = nil
        upload.start = Upload.StartCondition()
        var plain = JSONWriter()
        plain.upload(upload, unknown: nil)
        var never = JSONWriter()
        never.upload(.make(), unknown: nil)
        #expect(plain.bytes == never.bytes)
        #expect(planned.bytes != never.bytes)
    }

    @Test(arguments: [[], ["night"], ["a \"b\"", "day", "night"]] as [Set<String>])
    func `the batches that are paused come back, and none are not mentioned`(paused: Set<String>) throws {
        let settings = QueueSettings(nextID: 7, pausedBatches: paused)
        var writer = JSONWriter()
        writer.settings(settings, unknown: [])
        #expect(String(decoding: writer.bytes, as: UTF8.self).contains("pausedBatches") == !paused.isEmpty)
        let read = try writer.bytes.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            return try scanner.settings()
        }
        #expect(read.settings == settings)
        #expect(read.unknown.isEmpty)
    }

    @Test(arguments: ["[[3,2]]", "[[1,4],[4,5]]", "[[5,6],[1,2]]", "[3]", "3"])
    func `numbers after which an upload starts that are out of order are no record`(after: String) throws {
        var upload = Upload.make(99)
        upload.start = Upload.StartCondition(after: [1...2])
        var writer = JSONWriter()
        writer.upload(upload, unknown: nil)
        let text = String(decoding: writer.bytes, as: UTF8.self).replacingOccurrences(
            of: "[[1,2]]", with: after)
        Array(text.utf8).withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            var last = RepeatedTarget()
            #expect(throws: MalformedJSON.self) { try scanner.upload(last: &last) }
        }
    }

    @Test func `I10 bodies without a response are counted in the record, and none are not mentioned`() throws
    {
        func text(_ upload: Upload) -> String {
            var writer = JSONWriter()
            writer.upload(upload, unknown: nil)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
        var upload = Upload.make()
        upload.tries.attempts = 1
        #expect(!text(upload).contains("uncertain"))
        upload.tries.uncertain = 2
        #expect(text(upload).contains(#""uncertain":2"#))
        #expect(!text(upload).contains("acceptsPage"))
        upload.tries.acceptsPage = true
        #expect(text(upload).contains(#""acceptsPage":true"#))
        #expect(try roundTrip(upload) == upload)
    }

    // Other versions of the program read the files, so the names may not change.
    @Test func `parts, digests and policies are written under their documented names`() throws {
        var upload = Upload.make(
            state: .done(
                Receipt(bytes: 10, verified: .sha256, wasThere: true, chosen: "s3"), at: .distantPast),
            resource: UploadResource(url: "u", confirmed: 5, parts: .init(stored: 1, planned: 2)))
        upload.target.existing = .skip
        var writer = JSONWriter()
        writer.upload(upload, unknown: nil)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(text.contains(#""ifExists":"skip""#))
        #expect(text.contains(#""parts":[1,2]"#))
        #expect(text.contains(#""verified":"sha-256","wasThere":true,"chosen":"s3""#))
        #expect(try roundTrip(upload) == upload)
    }

    @Test(arguments: [
        #""ifExists":"burn""#, #""parts":[1]"#, #""parts":[1,2,3]"#, #""verified":"sha-9""#, #""wasThere":1"#,
    ])
    func `a record with an unknown value is refused`(member: String) throws {
        var upload = Upload.make(
            state: .done(Receipt(verified: .md5, wasThere: true), at: Self.now),
            resource: UploadResource(url: "u", parts: .init(stored: 1, planned: 2)))
        upload.target.existing = .fail
        var writer = JSONWriter()
        writer.upload(upload, unknown: nil)
        var text = String(decoding: writer.bytes, as: UTF8.self)
        let members = [#""ifExists":"fail""#, #""parts":[1,2]"#, #""verified":"md5""#, #""wasThere":true"#]
        let name = member.prefix { $0 != ":" }
        let old = try #require(members.first { $0.hasPrefix(name) })
        text = text.replacing(old, with: member)
        Array(text.utf8).withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            var last = RepeatedTarget()
            #expect(throws: MalformedJSON.self) { try scanner.upload(last: &last) }
        }
    }

    @Test func `parts come back`() throws {
        let upload = Upload.make(resource: UploadResource(url: "u", parts: .init(stored: .max, planned: 0)))
        #expect(try roundTrip(upload) == upload)
    }

    @Test(arguments: [
        "", "/", "/tmp/a b", "a\"b\\c\n\t\r\u{1}\u{7F}", "base64:", "base64:####", "grüße/日本/👩‍👩‍👧", "\0",
    ])
    func `a path of valid text comes back byte for byte`(path: String) throws {
        #expect(try Array(roundTrip(.make(path: LocalPath(path))).path.bytes) == Array(path.utf8))
    }

    @Test(arguments: [[0xFF], [0x2F, 0xC3], [0xED, 0xA0, 0x80], Array(0...255)] as [[UInt8]])
    func `a path that is not UTF-8 comes back byte for byte`(path: [UInt8]) throws {
        #expect(try roundTrip(.make(path: LocalPath(bytes: path))).path.bytes == path)
    }

    @Test func `the largest and smallest numbers come back exactly`() throws {
        for (signed, unsigned) in [(Int64.min, UInt64.min), (.max, .max), (1 << 53, 1 << 53), (-1, 1 << 63)] {
            var upload = Upload.make(Int(signed), rank: signed, size: signed)
            upload.identity.device = unsigned
            upload.identity.inode = unsigned
            upload.identity.modified = signed
            upload.identity.changed = signed
            upload.tries.attempts = Int(signed)
            upload.tries.resent = signed
            upload.tries.delay = .greatestFiniteMagnitude
            #expect(try roundTrip(upload) == upload)
        }
    }

    @Test(arguments: [
        0, 0.1, -0.1, 1e-12, 813_456_789.123_456_7, -978_307_200, 252_423_993_599.5, 252_423_993_600,
        -63_113_904_000,
        -62_167_219_200 - 978_307_200, 1e300, -1e300, .infinity, .leastNonzeroMagnitude,
    ])
    func `a time comes back exactly, however odd`(seconds: Double) throws {
        var upload = Upload.make()
        upload.added = Date(timeIntervalSinceReferenceDate: seconds)
        #expect(try roundTrip(upload) == upload)
    }

    @Test func `times are written as ISO 8601 in UTC`() {
        let cases: [(Double, String)] = [
            (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
            (1_760_000_000.25, "2025-10-09T08:53:20.25Z"), (4_102_444_799, "2099-12-31T23:59:59Z"),
            (-1, "1969-12-31T23:59:59Z"), (-62_167_219_200, "0000-01-01T00:00:00Z"),
        ]
        for (seconds, text) in cases {
            let written = WallTime.text(Date(timeIntervalSince1970: seconds))
            #expect(written.map { String(decoding: $0, as: UTF8.self) } == text)
        }
    }

    @Test func `names, fields and resources with odd texts come back`() throws {
        var upload = Upload.make(
            resource: UploadResource(
                url: "", confirmed: .max, expires: Self.now,
                memory: ["": "", "\"": "\u{0}", "ключ": "значение"]))
        upload.target = Upload.Target(
            destination: "", url: "", protocolName: "", name: "\u{FEFF}\u{202E}",
            fields: [.init(name: "", value: ""), .init(name: "a", value: "\\"), .init(name: "a", value: "/")])
        #expect(try roundTrip(upload) == upload)
    }

    @Test func `user info never enters a record`() throws {
        var upload = Upload.make(
            state: .done(Receipt(location: "https://u:CANARY-1@h/@x?a@b"), at: Self.now),
            resource: UploadResource(url: "https://CANARY-2@h/f"), url: "https://u:p@CANARY-3@h:1/@y")
        var writer = JSONWriter()
        writer.upload(upload, unknown: nil)
        #expect(!String(decoding: writer.bytes, as: UTF8.self).contains("CANARY"))
        upload = try roundTrip(upload)
        #expect(upload.target.url == "https://h:1/@y")
        #expect(upload.resource?.url == "https://h/f")
    }

    @Test(arguments: [
        "", "{", "{}", "[]", "nul", #"{"id":1"#, #"{"id":99999999999999999999}"#, #"{"id":1.5}"#,
        #"{"id":01}"#,
        #"{"id":1,"id":1}"#, #"{"id":"1}"#, #"{"id":--1}"#, #"{"id":-}"#, #"{"path":"\u12"}"#,
        #"{"path":"\ud800"}"#, #"{"path":"\ud800\u0041"}"#, #"{"path":"\x"}"#, "{\"path\":\"\u{1}\"}",
        #"{"path":"base64:#"}"#, #"{"x":[1,]}"#, #"{"x":{"a":1,}}"#, #"{"x":1e}"#,
        #"{"added":"2026-13-01T00:00:00Z"}"#,
    ])
    func `text that is not a record is refused`(text: String) {
        Array(text.utf8).withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            var last = RepeatedTarget()
            #expect(throws: MalformedJSON.self) { try scanner.upload(last: &last) }
        }
    }

    @Test func `nesting beyond the limit is refused and not followed`() {
        let text = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        text.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            #expect(throws: MalformedJSON(position: 32, reason: "nested too deeply")) {
                try scanner.skipValue()
            }
        }
    }

    @Test func `every record is JSON that other readers understand`() throws {
        var writer = JSONWriter()
        writer.upload(
            .make(
                path: LocalPath(bytes: [0xFF, 0x0A]),
                state: .waiting(until: .distantFuture, failure: Self.failure)),
            unknown: nil)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any])
        #expect(object["path"] as? String == "base64:/wo=")
        #expect((object["state"] as? [String: Any])?["status"] as? Int == 503)
    }

    // The examples are from RFC 3720, appendix B.4.
    @Test func `the checksum fits the published examples`() {
        let examples: [([UInt8], UInt32)] = [
            ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
            ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
            (Array(0..<32), 0x46DD_794E), ((0..<32).reversed(), 0x113F_DB5C), ([], 0),
            (Array("123456789".utf8), 0xE306_9283),
        ]
        for (bytes, checksum) in examples { #expect(bytes.withUnsafeBytes(CRC32C.of) == checksum) }
    }
}

extension UploadFailure {
    fileprivate static func of(_ state: Upload.State) -> UploadFailure? {
        if case .waiting(_, let failure) = state { failure } else { nil }
    }
}
