import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

/// Tests real file names: wide characters, spaces, control characters, bytes that are not UTF-8.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct NameTests {
    private static let harmless: [[UInt8]] = [
        Array("with space.txt".utf8),
        Array("日本語 ファイル.bin".utf8),
        Array("e\u{301}.txt".utf8),
        Array("right\u{202E}left".utf8),
        [0x66, 0xFF, 0xFE, 0x80],
        Array("-dash".utf8),
        Array("percent%41?#&.txt".utf8),
    ]
    /// The names that a receiver should not use for a file.
    private static let harmful: [[UInt8]] = [
        Array("new\nline\ttab".utf8), Array("\u{1B}[31mred\u{7}".utf8), Array("c1\u{9B}2J".utf8),
    ]
    private static let names = harmless + harmful

    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.file("all/.keep")
        for name in Self.names {
            let path = Array(place.path("all/").utf8) + name + [0]
            let file = path.withUnsafeBytes { raw in
                raw.baseAddress.flatMap { fopen($0.assumingMemoryBound(to: CChar.self), "w") }
            }
            let opened = try #require(file)
            fputs("x", opened)
            fclose(opened)
        }
    }

    @Test func `no control character is printed, whatever files are called`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        var results = [try await place.ferry("add", "--dry-run", place.path("all/*"))]
        results.append(try await place.ferry("add", place.path("all/*")))
        results.append(try await place.ferry("add", place.path("*/*\u{1B}[2Jmissing")))
        results.append(try await place.ferry("add", "--to", "\u{1B}[2J", place.path("all/*")))
        results.append(
            try await place.ferry(
                "add", "--to", "http://127.0.0.1:9/\u{9B}2J/", "--dry-run", place.path("all/*")))
        results.append(try await place.ferry("add", "--\u{1B}[2J"))
        results.append(try await place.ferry("list"))
        results.append(try await place.ferry("list", "--json"))
        for result in results {
            #expect(result.output.controls.isEmpty, "\(result.output.debugDescription)")
            #expect(result.errors.controls.isEmpty, "\(result.errors.debugDescription)")
            #expect(!(result.output + result.errors).isEmpty)
            #expect(String(validating: result.bytes, as: UTF8.self) != nil)
        }
        #expect(results[1].output.hasPrefix("added \(Self.names.count) files"))
    }

    @Test func `a path given as bytes that are not text is found`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        let path = Array(place.path("all/").utf8) + [0x66, 0xFF, 0xFE, 0x80]
        let process = try place.start(bytes: [Array("add".utf8), path])
        let result = try await Workplace.result(of: process)
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(
            result.errors
                == "note: a name is not UTF-8: at the server it has \u{FFFD} for what cannot be read\n")
        let listed = try await place.list().map(\.path)
        #expect(listed == ["base64:" + Data(path).base64EncodedString()])
    }

    @Test(arguments: ["put", "form", "tus"])
    func `every name arrives as one file of its own, or is refused with a reason`(protocolName: String)
        async throws
    {
        try await ReceiverSite.with { site in
            try place.configure(protocolName, at: protocolName == "tus" ? site.tusURL : site.url)
            let added = try await place.ferry("add", place.path("all/*"))
            #expect(added.ending == .exited(0), "\(added.errors)")
            let run = try await place.ferry("run", "--exit-when-idle")
            #expect(run.lines.last == "\(Self.harmless.count) done, \(Self.harmful.count) failed")
            let stored = try site.names()
            #expect(stored.count == Self.harmless.count, "\(stored)")
            for upload in try await place.list() where upload.state == "failed" {
                #expect(upload.status == 400)
                #expect(upload.error?.contains("control characters") == true, "\(upload.error ?? "")")
            }
        }
    }
}
