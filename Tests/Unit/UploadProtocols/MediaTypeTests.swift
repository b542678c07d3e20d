import Foundation
import Testing

@testable import FerryProtocols

struct MediaTypeTests {
    // LeftOut.md, items 7 and 13
    @Test(arguments: [
        ("unicorn.png", "image/png"), ("A.JPG", "image/jpeg"), ("rainbow.jpg", "image/jpeg"),
        ("a.tar.gz", "application/gzip"), ("a.b.c.PDF", "application/pdf"),
        ("a.unheardof", MediaType.unknown), ("Makefile", MediaType.unknown), ("png", MediaType.unknown),
        (".png", MediaType.unknown), ("..png", MediaType.unknown), (".notes.txt", "text/plain"),
        ("a.", MediaType.unknown), ("a.png.", MediaType.unknown), ("a.png ", MediaType.unknown),
        ("", MediaType.unknown), (".", MediaType.unknown), ("..", MediaType.unknown),
        ("fünf.日本", MediaType.unknown), ("a.\u{0}", MediaType.unknown),
    ])
    func `a type follows from the extension`(name: String, expected: String) {
        #expect(MediaType.ofFile(named: name) == expected)
    }

    @Test func `each extension is there once, in small letters`() {
        let lines = MediaType.table.split(separator: "\n").map { $0.split(separator: " ") }
        let extensions = lines.flatMap { $0.dropFirst() }
        #expect(extensions.count == MediaType.byExtension.count)
        #expect(extensions.count > 300)
        #expect(extensions.allSatisfy { $0 == $0.lowercased() && !$0.contains(".") })
        #expect(lines.map { $0[0].lowercased() } == lines.map { $0[0].lowercased() }.sorted())
        for line in lines {
            #expect(throws: Never.self) {
                try MultipartHeader(name: "a", contentType: String(line[0])).check()
            }
        }
    }

    private static let list = "/etc/mime.types"
    private static let hasList = FileManager.default.fileExists(atPath: list)

    /// The types that differ from Debian's list or are missing there, with the reason.
    private static let exceptions: [(reason: String, extensions: [String])] = [
        ("registered by RFC 9559 in the place of x-matroska", ["mka", "mkv"]),
        (
            "Debian's audio/sp-midi is scalable polyphony alone; every player knows audio/midi",
            ["mid", "midi"]
        ),
        ("the WHATWG's name; x-wav is older than RFC 6648", ["wav"]),
        ("a transport stream far more often than a translation of Qt's", ["m2ts", "mts", "ts"]),
        ("a variant of a container that is registered", ["3g2", "3gp", "m4b", "weba"]),
        ("camera files, by the names that other tools use", ["arw", "dng", "raf"]),
        ("the compression is the outermost format", ["gzip", "tbz2", "tgz", "txz"]),
        ("compressors that Debian does not list", ["bz2", "lz", "lz4"]),
        ("registered after Debian's list: RFC 9512 and others", ["jsonl", "parquet", "toml", "yaml", "yml"]),
        ("never registered, but what feeds are served as", ["rss"]),
        ("not registered, and known by these names", ["gpx", "ipynb", "mobi", "msg", "ndjson"]),
        ("text or XML by definition", ["log", "xsd"]),
        ("source text by the names that editors use", ["go", "swift"]),
        ("bytes that say nothing of what they are", ["dat", "img"]),
    ]

    @Test(.enabled(if: hasList, "needs Debian's media-types; Tests/run installs it"))
    func `types are Debian's, with exceptions that each have a reason`() throws {
        var theirs: [String: Set<String>] = [:]
        for line in try String(contentsOfFile: Self.list, encoding: .utf8).split(separator: "\n")
        where !line.hasPrefix("#") {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            for suffix in words.dropFirst() { theirs[suffix, default: []].insert(words[0].lowercased()) }
        }
        #expect(theirs.count > 1000)
        let different = MediaType.byExtension.filter {
            theirs[$0.key]?.contains($0.value.lowercased()) != true
        }
        let excepted = Self.exceptions.flatMap(\.extensions)
        #expect(different.keys.sorted() == excepted.sorted())
    }
}
