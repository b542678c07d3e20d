import FerryTestSupport
import Foundation
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests a folder with dangerous file names. Each file must arrive with its own bytes. No name may change the structure
/// of a request or the terminal.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct HostileNameTests {
    private static let texts = [
        "plain.txt", "with space.txt", " leading space", "trailing space ", "-dash", "--recursive", "-rf *",
        "~", "~root",
        "$HOME", "$(reboot)", "`id`", "a;b", "a|b", "a&b=c", "a<b>c", "a\"b", "\"", "\"\"", "a'b", "a\\b",
        "\\", "\\\"",
        "percent%41", "%", "%00", "%2e%2e%2f", "%0d%0aX-Evil: 1", "a?b", "a#b", "a:b", "C:\\a", "http:",
        "a,b", "a=b",
        "{name}", "{}", "[a]", "*", "?", "!", "a; filename=\"b\"", "a\"; name=\"c", "line\nbreak",
        "carriage\rreturn",
        "both\r\nX-Evil: 1", "both\r\n\r\n--boundary--", "tab\tbed", "bell\u{7}", "\u{1B}[31mred",
        "\u{1B}]0;title\u{7}",
        "del\u{7F}", "c1\u{9B}2J", "日本語 ファイル.bin", "e\u{301}.txt", "\u{E9}.txt", "right\u{202E}left",
        "zero\u{200B}width",
        "bom\u{FEFF}", "👩‍👩‍👧‍👦.jpg", "line\u{2028}separator", "con", "nul.txt", "base64:QUJD", "null", "0",
    ]
    private static let names: [[UInt8]] =
        texts.map { Array($0.utf8) } + [
            [0x66, 0xFF, 0xFE, 0x80], [0xC3, 0x28], Array(repeating: UInt8(ascii: "n"), count: 255),
            Array(String(repeating: "é", count: 127).utf8),
            Array("utf-16 half \u{FFFD}".utf8) + [0xED, 0xA0, 0x80],
        ]

    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.file("all/.keep")
        for (number, name) in Self.names.enumerated() {
            let path = Array(place.path("all/").utf8) + name + [0]
            let opened = path.withUnsafeBytes { raw in
                raw.baseAddress.flatMap { fopen($0.assumingMemoryBound(to: CChar.self), "wx") }
            }
            let file = try #require(opened, "\(name)")
            fputs(Self.content(number), file)
            fclose(file)
        }
    }

    private static func content(_ number: Int) -> String { "content of \(number)." }
    private static func shown(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }

    /// Adds all files and uploads them to a server that accepts everything.
    private func send(by protocolName: String) async throws -> [RecordedRequest] {
        let number = Mutex(0)
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                let request = try connection.readRequest()
                switch request.method {
                case "OPTIONS":
                    let offer = [("Tus-Version", "1.0.0"), ("Tus-Extension", "creation")]
                    try connection.answer(204, headers: offer)
                case "POST" where protocolName == "tus":
                    let next = number.withLock { number in
                        number += 1
                        return number
                    }
                    try connection.answer(201, headers: [("Location", "/files/\(next)")])
                case "PATCH":
                    try connection.answer(204, headers: [("Upload-Offset", request["Content-Length"] ?? "")])
                default: try connection.answer(201)
                }
            }
        }
        defer { server.stop() }
        try place.configure(protocolName, at: server.url("/in/"))
        // One of the names is `*`. A path that exists is not a pattern.
        let added = try await place.ferry("add", place.path("all/?*"))
        #expect(added.output.hasPrefix("added \(Self.names.count) files"), "\(added.errors)")
        let run = try await place.ferry("run", "--exit-when-idle")
        #expect(run.lines.last == "\(Self.names.count) done", "\(run.output)")
        for result in [added, run, try await place.ferry("list"), try await place.ferry("list", "--json")] {
            #expect((result.output + result.errors).controls.isEmpty)
        }
        let paths = try await place.list().map(\.path)
        #expect(Set(paths) == Set(Self.names.map(expectedPath)))
        return server.requests
    }

    private func expectedPath(_ name: [UInt8]) -> String {
        let path = Array(place.path("all/").utf8) + name
        return String(validating: path, as: UTF8.self) ?? "base64:" + Data(path).base64EncodedString()
    }

    /// Checks that all requests have the same header fields, so no name has added one.
    private static func expectOneShape(_ requests: [RecordedRequest]) {
        #expect(Set(requests.map { $0.headers.map { $0.name.lowercased() } }).count == 1)
        #expect(requests.allSatisfy { $0["X-Evil"] == nil && $0.isComplete })
    }

    @Test func `F11 sixty hostile names and more are put at addresses of their own`() async throws {
        #expect(Self.names.count >= 60)
        let requests = try await send(by: "put")
        Self.expectOneShape(requests)
        let arrived = requests.map { request in
            let name = request.target.dropFirst("/in/".count)
            #expect(name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }, "\(request.target)")
            return [name.removingPercentEncoding ?? "", String(decoding: request.body, as: UTF8.self)]
        }
        #expect(Set(arrived) == Set(Self.names.enumerated().map { [Self.shown($1), Self.content($0)] }))
    }

    @Test func `F11 sixty hostile names and more leave a form one part with two header lines`() async throws {
        let requests = try await send(by: "form")
        Self.expectOneShape(requests)
        let arrived = try requests.map { request in
            let type = try #require(request["Content-Type"])
            let boundary = try #require(type.split(separator: "=").last).trimmingCharacters(in: ["\""])
            // The bytes are compared, because in a Swift string CR LF is one character, and a quote can merge with what
            // follows it.
            var body = Data(request.body)
            let (opening, closing) = (Data("--\(boundary)\r\n".utf8), Data("\r\n--\(boundary)--\r\n".utf8))
            #expect(body.starts(with: opening) && body.suffix(closing.count) == closing)
            body = Data(body.dropFirst(opening.count).dropLast(closing.count))
            let end = try #require(body.range(of: Data("\r\n\r\n".utf8)))
            let head = Array(body[..<end.lowerBound])
            #expect(head.count { $0 == 0x0D } == 1 && head.count { $0 == 0x0A } == 1)
            #expect(head.count { $0 == 0x22 } == 4)
            let start = try #require(body.range(of: Data("; filename=\"".utf8)))
            let quoted = String(decoding: body[start.upperBound...].prefix { $0 != 0x22 }, as: UTF8.self)
            // The escapes of browsers (WHATWG, multipart/form-data).
            let name = quoted.replacing("%22", with: "\"").replacing("%0D", with: "\r").replacing(
                "%0A", with: "\n")
            return [name, String(decoding: body[end.upperBound...], as: UTF8.self)]
        }
        #expect(Set(arrived) == Set(Self.names.enumerated().map { [Self.shown($1), Self.content($0)] }))
    }

    @Test func `F11 sixty hostile names and more are metadata of tus`() async throws {
        let requests = try await send(by: "tus")
        let creations = requests.filter { $0.method == "POST" }
        Self.expectOneShape(creations)
        Self.expectOneShape(requests.filter { $0.method == "PATCH" })
        let names = try creations.map { request in
            let pairs = try #require(request["Upload-Metadata"]).split(separator: ",").map {
                $0.split(separator: " ")
            }
            let value = try #require(pairs.first { $0.first == "filename" }?.last)
            return String(decoding: try #require(Data(base64Encoded: String(value))), as: UTF8.self)
        }
        #expect(Set(names) == Set(Self.names.map(Self.shown)))
        let bodies = requests.filter { $0.method == "PATCH" }.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(Set(bodies) == Set(Self.names.indices.map(Self.content)))
    }
}
