import Foundation
import Testing

@testable import FerryReceiver

@Suite(.timeLimit(.minutes(1)))
struct AccessTests {
    @Test(arguments: ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example"])
    func `a name that could be pointed anywhere is refused`(host: String) async throws {
        try await withReceiver { site async throws in
            #expect(try await site.request("PUT", "/a", ["Host": host], "x").status == 421)
            #expect(try site.names() == [])
        }
    }

    @Test(arguments: ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:99", "localhost.", "mine.local"])
    func `the machine's own names are accepted`(host: String) async throws {
        try await withReceiver {
            $0.allowedHosts = ["Mine.local"]
        } _: { site async throws in
            #expect(try await site.request("PUT", "/a", ["Host": host], "x").status == 201)
        }
    }

    @Test func `a request without a host is refused`() async throws {
        try await withReceiver { site async throws in
            #expect(try await site.request("PUT", "/a", ["Host": ""], "x").status == 400)
        }
    }

    @Test func `web pages from elsewhere cannot upload`() async throws {
        try await withReceiver { site async throws in
            let fields = ["Host": "127.0.0.1:80", "Origin": "http://evil.example"]
            #expect(try await site.request("POST", "/", fields, "x").status == 403)
            #expect(try site.names() == [])
            let own = fields.merging(["Origin": "http://127.0.0.1:80"]) { $1 }
            #expect(try await site.request("POST", "/", own, "x").status == 201)
        }
    }

    @Test func `no answer lets web pages from elsewhere read it`() async throws {
        try await withReceiver { site async throws in
            let reply = try await site.request("OPTIONS", "/", ["Access-Control-Request-Method": "PUT"])
            #expect(reply["Access-Control-Allow-Origin"] == nil)
        }
    }

    @Test(arguments: [
        "", "Bearer", "Bearer wrong", "Bearer secre", "Bearer secrets", "Basic secret", "secret",
    ])
    func `without the token nothing is stored`(authorization: String) async throws {
        try await withReceiver {
            $0.token = "secret"
        } _: { site in
            let reply = try await site.request("PUT", "/a", ["Authorization": authorization], "x")
            #expect(reply.status == 401)
            #expect(reply["WWW-Authenticate"] == "Bearer")
            #expect(try site.names() == [])
        }
    }

    @Test func `with the token a file is stored`() async throws {
        try await withReceiver {
            $0.token = "secret"
        } _: { site async throws in
            #expect(
                try await site.request("PUT", "/a", ["Authorization": "bearer secret"], "x").status == 201)
        }
    }

    @Test(arguments: ["0.0.0.0", "::", "192.0.2.1", "example.org", "127.evil.example"])
    func `an address that others can reach needs a token`(host: String) throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(throws: ReceiverError.tokenNeeded(host: host)) {
            try UploadReceiver(ReceiverConfiguration(directory: folder, host: host, token: ""))
        }
    }

    @Test func `a folder that is not there is named`() throws {
        #expect(throws: ReceiverError.directory("/nowhere/at/all", reason: "No such file or directory")) {
            try UploadReceiver(ReceiverConfiguration(directory: "/nowhere/at/all"))
        }
    }

    @Test func `two receivers do not share a folder`() async throws {
        try await withReceiver { site in
            #expect(throws: ReceiverError.directoryInUse(site.folder)) {
                try UploadReceiver(ReceiverConfiguration(directory: site.folder))
            }
        }
    }

    @Test func `a port that is taken is named`() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withReceiver { site in
            let second = try UploadReceiver(ReceiverConfiguration(directory: folder, port: site.port))
            await #expect(throws: ReceiverError.portInUse(host: "127.0.0.1", port: site.port)) {
                try await second.run()
            }
        }
    }

    @Test func `an address of another machine is named`() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let receiver = try UploadReceiver(
            ReceiverConfiguration(directory: folder, host: "192.0.2.1", token: "secret"))
        let error = await #expect(throws: ReceiverError.self) { try await receiver.run() }
        guard case .cannotListen(host: "192.0.2.1", port: 0, reason: _) = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
    }
}
