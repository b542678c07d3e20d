import FerryProtocols
import FerryTestSupport
import FerryTransfer
import FerryUploads
import Foundation
import Testing

/// Tests URLs of any length, in configurations, from servers and in queues of earlier versions.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct LongAddressTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    /// Writes a queue as an earlier version could leave it. Its first upload resumes at a URL of 70,000 bytes.
    private func writeQueue(for server: HostileServer) async throws {
        let lock = try StateDirectory(at: LocalPath(place.state)).lock()
        let journal = FileJournal(lock)
        _ = try journal.load()
        for (id, method) in [(1, "tus"), (2, "put")] {
            let path = LocalPath(try place.file("f\(id)", "hello"))
            var upload = Upload(
                id: id, rank: Int64(id), path: path, identity: try SourceFile(path).identity,
                target: Upload.Target(
                    destination: "", url: server.url("/in/"), protocolName: method, name: "f\(id)"),
                added: Date(timeIntervalSince1970: 1_760_000_000))
            if id == 1 {
                upload.resource = UploadResource(url: server.url("/" + String(repeating: "x", count: 70_000)))
            }
            try await journal.append([.set(upload)], durably: true)
        }
        try await journal.close()
    }

    @Test func `a queue with an address that is too long starts, and the other uploads run`() async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                try connection.readRequest()
                try connection.answer(201)
            }
        }
        defer { server.stop() }
        try FileManager.default.createDirectory(atPath: place.state, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: place.state)
        try await writeQueue(for: server)
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(1), "\(result.errors)")
        let list = try await place.list()
        #expect(list.map(\.state) == ["failed", "done"])
        #expect(list.first?.error?.contains("the request to 127.0.0.1 would begin with") == true)
        #expect(list.first?.hint?.contains("add it again") == true)
    }

    @Test func `an address of the configuration has 8 KiB at most`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/" + String(repeating: "x", count: 8200))
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("destinations.here.url: expected an address of at most 8192 bytes"))
    }

    @Test func `an address of the command line has 8 KiB at most`() async throws {
        let address = "http://127.0.0.1:9/" + String(repeating: "x", count: 8200)
        let result = try await place.ferry("add", try place.file("a"), "--to", address)
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("at most 8192 are taken"), "\(result.errors)")
    }

    @Test(arguments: [
        (
            #""X-A": "\#(String(repeating: "x", count: 8193))""#,
            "headers.X-A: expected a value of at most 8192 bytes"
        ),
        (
            #""X-A": "\#(String(repeating: "x", count: 8000))", "X-B": "\#(String(repeating: "x", count: 8000))""#,
            "headers: expected at most 12288 bytes in all"
        ),
    ])
    func `headers of the configuration that no request could carry are refused`(
        headers: String, message: String
    ) async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/", more: #", "headers": { \#(headers) }"#)
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains(message), "\(result.errors)")
    }
}
