import Foundation
import Testing

@testable import FerryReceiver

@Suite(.timeLimit(.minutes(10)))
struct NameTests {
    /// The paths that escape from the folder in servers with a known weakness. None of them may reach anything outside
    /// of the receiver's folder.
    static let traversals: [String] = {
        let ups = [
            "..", "%2e%2e", ".%2e", "%2E.", "..%00", "..;", "...", "%c0%ae%c0%ae", "%uff0e%uff0e", "․․",
        ]
        let separators = ["/", "%2f", "%2F", "\\", "%5c", "//", "/./", "%c0%af", "%252f", "／"]
        let combined = ups.flatMap { up in
            separators.map { "/" + String(repeating: up + $0, count: 8) + "ferry-escaped" }
        }
        return combined + [
            "/", "//", "/.", "/..", "/./a", "/a/..", "/a/.", "/%00", "/a%00b", "/a%0Ab", "/a%0D%0Ab", "/%7F",
            "/%C2%85", "/.ferry", "/.ferry/x", "/.FERRY/x", "/.ferry%2fx", "/%", "/%zz", "/%ff", "/%ed%a0%80",
            "/a/", "/a//b", "//etc/passwd", "/%2fetc%2fpasswd", "/C:%5cx", "/link/x", "/link",
            "/" + String(repeating: "d/", count: 40) + "x",
        ]
    }()

    @Test(arguments: traversals)
    func `no path leads out of the folder`(path: String) async throws {
        let base = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: base) }
        let folder = base + "/a/b/inbox"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: base)
        let before = try Self.everything(below: base, except: folder)
        try await withReceiver(folder: folder) { site in
            let client = try LoopbackClient(port: site.port)
            try await client.send(Site.head("PUT", path, length: 1) + "x")
            let status = try await client.receive().status
            #expect(status == 201 || status >= 400)
            #expect(try site.unfinished() == [])
        }
        #expect(try Self.everything(below: base, except: folder) == before)
        #expect(!FileManager.default.fileExists(atPath: "/ferry-escaped"))
        #expect(!FileManager.default.fileExists(atPath: NSTemporaryDirectory() + "/ferry-escaped"))
    }

    private static func everything(below base: String, except folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: base)
            .filter { !(base + "/" + $0).hasPrefix(folder + "/") }.sorted()
    }

    @Test func `a link to a folder is not followed`() async throws {
        try await withReceiver { site in
            try FileManager.default.createSymbolicLink(
                atPath: site.folder + "/link", withDestinationPath: NSTemporaryDirectory())
            #expect(try await site.request("PUT", "/link/a", [:], "x").status == 409)
            #expect(try await site.request("HEAD", "/link").status == 404)
        }
    }

    @Test func `a folder is never replaced by a file`() async throws {
        try await withReceiver {
            $0.overwrite = true
        } _: { site in
            _ = try await site.request("PUT", "/a/b", [:], "x")
            #expect(try await site.request("PUT", "/a", [:], "y").status == 409)
            #expect(site.content("a/b") == "x")
            #expect(try site.unfinished() == [])
        }
    }

    @Test(arguments: [
        ("", NameProblem.empty), (".", .dots), ("..", .dots), ("a/b", .separator), ("a\\b", .separator),
        ("a\nb", .control), ("a\u{0}", .control), ("\u{7F}", .control), ("\u{9B}2J", .control),
        ("a\u{2028}b", .control),
        (".Ferry", .reserved), (".bashrc", .hidden), ("...", .hidden),
        ("..a", .hidden), (".\u{301}x", .hidden),
    ])
    func `an unusable name is refused with its reason`(name: String, problem: NameProblem) {
        #expect(throws: problem) { try SafeName(name) }
    }

    @Test(arguments: [
        "a", "a.", "a b", "ümläut.txt", "it's", "a;b|c$(d)", "-rf", "日本.txt", "a..b",
    ])
    func `any other name is kept`(name: String) throws {
        #expect(try SafeName(name).text == name)
    }

    @Test func `a long name is cut between characters and keeps its extension`() throws {
        let name = try SafeName(String(repeating: "é", count: 200) + ".tar")
        #expect(name.text.utf8.count == 254)
        #expect(name.text.hasSuffix("é.tar"))
        #expect(name.numbered(2).text.hasSuffix("é (2).tar"))
        #expect(name.numbered(2).text.utf8.count <= SafeName.maximumBytes)
    }

    @Test(arguments: [".ferry", ".ssh", ".", ""])
    func `a name of one long character does not become a hidden name`(ending: String) throws {
        let name = try SafeName("b" + String(repeating: "\u{301}", count: 200) + ending)
        for text in [name.text, name.numbered(2).text] {
            #expect(text.unicodeScalars.first == "b")
            #expect((250...SafeName.maximumBytes).contains(text.utf8.count))
        }
    }

    @Test func `a long name ends before the character that does not fit`() throws {
        let family = "👩‍👩‍👧"
        let name = try SafeName(String(repeating: family, count: 30) + ".mov")
        #expect(name.text == String(repeating: family, count: 251 / family.utf8.count) + ".mov")
    }

    @Test(.timeLimit(.minutes(10)), arguments: ["e\u{301}", "\u{1F1E9}", "👩\u{200D}", "é"])
    func `the time for a name grows with its length alone`(character: String) throws {
        let mark = String(character.unicodeScalars.suffix(1))
        for name in [
            character + String(repeating: mark, count: 36_000), String(repeating: character, count: 12_000),
        ] {
            for _ in 0..<20 { #expect(try SafeName(name + ".mov").text.utf8.count <= SafeName.maximumBytes) }
        }
    }

    @Test(arguments: ["\u{200C}.ferry", "\u{2060}.ssh", "\u{FEFF}.", "\u{200B}"])
    func `a dot behind invisible scalars is hidden, too`(name: String) {
        #expect(throws: NameProblem.self) { try SafeName(name) }
    }

    @Test(arguments: [
        ("a.txt", "a (2).txt"), ("a", "a (2)"), ("a.b.c", "a.b (2).c"),
    ])
    func `a number goes before the extension`(name: String, numbered: String) throws {
        #expect(try SafeName(name).numbered(2).text == numbered)
    }

    @Test(arguments: ["a", "dir/a.txt", "day3/data/x.txt", "ü b/c"])
    func `a client's path below the folder is kept`(path: String) throws {
        #expect(try StoredPath(clientName: path).text == path)
    }

    @Test(arguments: [
        ("/etc/passwd", NameProblem.absolute), ("/\u{301}x", .absolute), ("../a", .dots), ("a/../b", .dots),
        ("a/./b", .dots), ("a/", .empty), ("a//b", .empty), ("", .empty), (".ssh/authorized_keys", .hidden),
        ("a/.b/c", .hidden), (".ferry/x", .reserved), (#"C:\d\a.txt"#, .separator), (#"a\b"#, .separator),
        ("a\nb/c", .control),
    ])
    func `a client's path that leads elsewhere is refused`(path: String, problem: NameProblem) {
        #expect(throws: problem) { try StoredPath(clientName: path) }
    }

    @Test(arguments: [(32, true), (33, false)])
    func `a client's path may have 32 folders`(count: Int, isTaken: Bool) throws {
        let path = String(repeating: "d/", count: count) + "x"
        #expect((try? StoredPath(clientName: path).folders.count) == (isTaken ? 32 : nil))
        #expect((try? StoredPath(requestPath: "/" + path).folders.count) == (isTaken ? 32 : nil))
        guard !isTaken else { return }
        #expect(throws: NameProblem.tooDeep) { try StoredPath(clientName: path) }
    }

    @Test func `a taken name gets a number up to 10,000, and then none is left`() async throws {
        try await withReceiver { site async throws in
            for number in 1..<10_000 {
                let name = number == 1 ? "a" : "a (\(number))"
                #expect(FileManager.default.createFile(atPath: site.folder + "/" + name, contents: nil))
            }
            #expect(try await site.request("PUT", "/a", [:], "x").status == 201)
            #expect(site.content("a (10000)") == "x")
            #expect(try await site.request("PUT", "/a", [:], "x").status == 500)
        }
    }

    @Test(arguments: [
        ("/.ssh/authorized_keys", "begin with a dot"), ("/a/.b", "begin with a dot"),
        ("/a%0Ab", "control characters"), ("/a%5Cb.txt", "cannot contain / or \\"),
    ])
    func `a refusal names what is wrong with the name`(path: String, reason: String) async throws {
        try await withReceiver { site async throws in
            let reply = try await site.request("PUT", path, [:], "x")
            #expect(reply.status == 400)
            #expect(reply.body.contains(reason), "\(reply.body)")
            #expect(try site.names() == [])
        }
    }

    @Test func `a location leads back to the file`() throws {
        let path = try StoredPath(requestPath: "/a%20b/%C3%BC%3F%23%25.txt")
        #expect(path.text == "a b/ü?#%.txt")
        #expect(try StoredPath(requestPath: path.location) == path)
    }
}
