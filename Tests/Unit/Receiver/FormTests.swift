import Foundation
import Testing

@testable import FerryReceiver

@Suite(.timeLimit(.minutes(10)))
struct FormTests {
    private static let fields = ["Content-Type": "multipart/form-data; boundary=XX"]

    private static func file(_ filename: String, _ content: String, field: String = "f") -> String {
        "--XX\r\nContent-Disposition: form-data; name=\"\(field)\"; filename=\"\(filename)\"\r\n\r\n\(content)\r\n"
    }

    private static func field(_ name: String, _ value: String) -> String {
        "--XX\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
    }

    @Test func `every file of a form is stored and its fields are listed`() async throws {
        try await withReceiver { site in
            let body =
                Self.field("note", "hi") + Self.file("a.txt", "one") + Self.file("b.txt", "", field: "g")
                + "--XX--"
            let reply = try await site.request("POST", "/", Self.fields, body)
            #expect(reply.status == 201)
            #expect(
                reply.body == #"{"fields":[["note","hi"]],"files":["#
                    + #"{"field":"f","location":"/a.txt","name":"a.txt","size":3},"#
                    + #"{"field":"g","location":"/b.txt","name":"b.txt","size":0}]}"# + "\n")
            #expect(site.content("a.txt") == "one")
            #expect(site.content("b.txt") == "")
        }
    }

    @Test(arguments: [
        (1, 64 << 10, 201), (1, (64 << 10) + 1, 413), (15, 64 << 10, 201), (16, 64 << 10, 413),
    ])
    func `a field of a form may have 64 KiB, and all fields with their names 1 MiB`(
        count: Int, length: Int, status: Int
    ) async throws {
        try await withReceiver { site async throws in
            let value = String(repeating: "v", count: length)
            let fields = (0..<count).map { Self.field("note\($0)", value) }.joined()
            let body = fields + Self.file("a.txt", "x") + "--XX--"
            #expect(try await site.request("POST", "/", Self.fields, body).status == status)
        }
    }

    @Test func `the files of a form count against the quota, and nothing else of it`() async throws {
        try await withReceiver {
            $0.limits.quota = 10 * ReceiverMetrics.entryBytes + 500
        } _: { site async throws in
            for number in 1...10 {
                let body = Self.field("note", "hi") + Self.file("\(number).txt", "x") + "--XX--"
                #expect(try await site.request("POST", "/", Self.fields, body).status == 201)
            }
        }
    }

    @Test func `a file that came meanwhile is not replaced by one that must be new`() async throws {
        try await withReceiver {
            $0.overwrite = true
        } _: { site async throws in
            let slow = try LoopbackClient(port: site.port)
            try await slow.send(Site.head("PUT", "/a", ["If-None-Match": "*"], length: 4) + "sl")
            // The event shows that the receiver has begun to read the first request.
            _ = await site.events.first { if case .created = $0 { true } else { nil } }
            #expect(try await site.request("PUT", "/a", [:], "fast").status == 201)
            try await slow.send("ow")
            #expect(try await slow.receive().status == 412)
            #expect(site.content("a") == "fast")
        }
    }

    @Test func `a form with one file says where it is`() async throws {
        try await withReceiver { site async throws in
            let reply = try await site.request("POST", "/", Self.fields, Self.file("a", "x") + "--XX--")
            #expect(reply["Location"] == "/a")
        }
    }

    @Test(arguments: [
        ("q%22.txt", "q\".txt"), ("100%.txt", "100%.txt"), ("fünf.txt", "fünf.txt"),
    ])
    func `a file gets its name`(filename: String, stored: String) async throws {
        try await withReceiver { site in
            _ = try await site.request("POST", "/", Self.fields, Self.file(filename, "x") + "--XX--")
            #expect(try site.names() == [stored])
        }
    }

    @Test func `files of one name from two folders keep their folders`() async throws {
        try await withReceiver { site async throws in
            let body =
                Self.file("day3/one/x.txt", "1") + Self.file("day3/two/x.txt", "2") + "--XX--"
            let reply = try await site.request("POST", "/", Self.fields, body)
            #expect(reply.body.contains(#""location":"/day3/one/x.txt""#), "\(reply.body)")
            #expect(site.content("day3/one/x.txt") == "1")
            #expect(site.content("day3/two/x.txt") == "2")
        }
    }

    @Test(arguments: [
        "..", "a/..", "../../up.txt", #"C:\dir\a.txt"#, "/etc/passwd", ".profile", "a/", "new%0Aline",
        ".ferry",
    ])
    func `a form with an unusable name stores nothing`(filename: String) async throws {
        try await withReceiver { site async throws in
            let body = Self.file("good", "x") + Self.file(filename, "y") + "--XX--"
            #expect(try await site.request("POST", "/", Self.fields, body).status == 400)
            #expect(try site.names() == [])
            #expect(try site.unfinished() == [])
        }
    }

    @Test func `a file field without a choice is no file`() async throws {
        try await withReceiver { site async throws in
            #expect(
                try await site.request("POST", "/", Self.fields, Self.file("", "") + "--XX--").status == 200)
            #expect(try site.names() == [])
            #expect(try site.unfinished() == [])
        }
    }

    @Test(arguments: ["", "--XX\r\nX: y\r\n\r\nz\r\n--XX--", "no delimiter at all"])
    func `a form that is cut short or malformed stores nothing`(end: String) async throws {
        try await withReceiver { site async throws in
            let reply = try await site.request("POST", "/", Self.fields, Self.file("a", "x") + end)
            #expect(reply.status == 400)
            #expect(try site.names() == [])
            #expect(try site.unfinished() == [])
        }
    }

    @Test func `a form of many files keeps no more than one of them open`() async throws {
        try await withReceiver { site in
            let client = try LoopbackClient(port: site.port)
            let parts = (0..<200).map { Self.file("\($0).txt", "x") }.joined()
            let head = Site.head("POST", "/", Self.fields, length: parts.utf8.count + 6)
            try await client.send(head + parts)
            while try site.unfinished().count < 200 { await Task.yield() }
            let open = try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").filter { name in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/dev/fd/\(name)")
                return target?.hasPrefix(site.folder + "/.ferry/") ?? false
            }
            #expect(open.count < 10)
            try await client.send("--XX--")
            #expect(try await client.receive().status == 201)
        }
    }

    @Test func `a form that breaks off stores nothing`() async throws {
        try await withReceiver { site in
            let client = try LoopbackClient(port: site.port)
            try await client.send(Site.head("POST", "/", Self.fields, length: 1000) + Self.file("a", "x"))
            client.finishSending()
            #expect(await site.events.interruption() == 0)
            #expect(try site.names() == [])
            #expect(try site.unfinished() == [])
        }
    }

    @Test(arguments: [
        "multipart/form-data", "multipart/form-data; boundary=", "multipart/mixed; boundary=XX",
    ])
    func `a form without a usable boundary is refused`(type: String) async throws {
        try await withReceiver { site async throws in
            #expect(try await site.request("POST", "/", ["Content-Type": type], "--XX--").status == 400)
        }
    }

    @Test func `a field without end is refused`() async throws {
        try await withReceiver { site async throws in
            let body = Self.field("f", String(repeating: "x", count: 70_000)) + "--XX--"
            #expect(try await site.request("POST", "/", Self.fields, body).status == 413)
        }
    }

    @Test func `names of fields that would fill the memory are refused`() async throws {
        try await withReceiver { site async throws in
            let name = String(repeating: "n", count: 7900)
            func body(_ parts: Int, _ part: (String) -> String) -> String {
                (0..<parts).map { _ in part(name) }.joined() + "--XX--"
            }
            let fields = body(150) { Self.field($0, "") }
            #expect(try await site.request("POST", "/", Self.fields, fields).status == 413)
            let files = body(150) { Self.file($0, "") }
            #expect(try await site.request("POST", "/", Self.fields, files).status == 413)
            #expect(try site.names() == [])
            #expect(try site.unfinished() == [])
            let some = body(100) { Self.field($0, "") }
            #expect(try await site.request("POST", "/", Self.fields, some).status == 200)
        }
    }

    @Test func `large content passes through unchanged`() async throws {
        try await withReceiver { site in
            let content = (0..<300_000).map { "\($0)\r\n--X" }.joined()
            _ = try await site.request("POST", "/", Self.fields, Self.file("big", content) + "--XX--")
            #expect(site.content("big") == content)
        }
    }
}
