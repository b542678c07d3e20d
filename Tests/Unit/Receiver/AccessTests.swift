import Foundation
import Testing

@testable import FerryReceiver

@Suite(.timeLimit(.minutes(10)))
struct AccessTests {
    private static let token = "0123456789abcdef"

    @Test(arguments: [
        "evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example",
        "[::1]evil.example", "[::1", "localhost:1@evil.example", "127.0.0.1:1@evil.example",
        "127.0.0.1:80:80",
        "[::1]:1@evil.example", "localhost:8x", "localhost:-1", "::1",
    ])
    func `a name that could be pointed anywhere is refused`(host: String) async throws {
        try await withReceiver { site async throws in
            #expect(try await site.request("PUT", "/a", ["Host": host], "x").status == 421)
            #expect(try site.names() == [])
        }
    }

    @Test(arguments: [
        "localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:99", "localhost.", "localhost:", "mine.local",
    ])
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

    @Test func `no response lets web pages from elsewhere read it`() async throws {
        try await withReceiver { site async throws in
            let reply = try await site.request("OPTIONS", "/", ["Access-Control-Request-Method": "PUT"])
            #expect(reply["Access-Control-Allow-Origin"] == nil)
        }
    }

    @Test(arguments: [4096, 4097])
    func `a token that the receiver made is read to 4 KiB`(length: Int) throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let uploadStore = try UploadStore(directory: folder, overwrite: false)
        try Data(repeating: 0x74, count: length).write(to: URL(filePath: folder + "/.ferry/token"))
        let token = try TokenFile.token(in: uploadStore, directory: folder)
        #expect(token.text.utf8.count == 4096)
    }

    @Test(arguments: [
        "", "Bearer", "Bearer wrong", "Bearer 0123456789abcde", "Bearer 0123456789abcdef0",
        "Basic 0123456789abcdef", "0123456789abcdef",
    ])
    func `without the token nothing is stored`(authorization: String) async throws {
        try await withReceiver {
            $0.token = Self.token
        } _: { site in
            let reply = try await site.request("PUT", "/a", ["Authorization": authorization], "x")
            #expect(reply.status == 401)
            #expect(reply["WWW-Authenticate"] == "Bearer")
            #expect(try site.names() == [])
        }
    }

    @Test func `with the token a file is stored`() async throws {
        try await withReceiver {
            $0.token = Self.token
        } _: { site async throws in
            #expect(
                try await site.request("PUT", "/a", ["Authorization": "bearer \(Self.token)"], "x").status
                    == 201)
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

    @Test func `a token that could be guessed is refused at the start`() throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(throws: ReceiverError.tokenTooShort(minimum: 16)) {
            try UploadReceiver(ReceiverConfiguration(directory: folder, token: "0123456789abcde"))
        }
    }

    @Test func `a folder that is missing is made for its owner alone`() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withReceiver(folder: folder + "/in") { site async throws in
            #expect(try Self.mode(site.folder) == 0o700)
        }
    }

    @Test func `a received file and its folder are for the receiver's owner alone`() async throws {
        try await withReceiver { site in
            _ = try await site.request("PUT", "/a/b", [:], "x")
            #expect(try Self.mode(site.folder + "/a") == 0o700)
            #expect(try Self.mode(site.folder + "/a/b") == 0o600)
        }
    }

    @Test func `a work folder that others may use is refused`() throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let work = folder + "/.ferry"
        try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: work)
        #expect(throws: ReceiverError.workFolder(work, reason: "others may use it")) {
            try UploadReceiver(ReceiverConfiguration(directory: folder))
        }
    }

    @Test(.enabled(if: geteuid() == 0, "needs root to give a folder away"))
    func `a work folder of another user is refused`() throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let work = folder + "/.ferry"
        try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: false)
        #expect(chmod(work, 0o700) == 0)
        #expect(chown(work, 12345, 12345) == 0)
        #expect(throws: ReceiverError.workFolder(work, reason: "it belongs to another user")) {
            try UploadReceiver(ReceiverConfiguration(directory: folder))
        }
    }

    @Test func `a token that the receiver made is needed, and stays the same`() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let made = try await withReceiver(folder: folder) {
            $0.makesToken = true
        } _: { site async throws in
            let token = try #require(site.receiver.token)
            #expect(token.isNew)
            #expect(token.path == folder + "/.ferry/token")
            #expect(try Self.mode(token.path) == 0o600)
            #expect(try await site.request("PUT", "/a", [:], "x").status == 401)
            let fields = ["Authorization": "Bearer \(token.text)"]
            #expect(try await site.request("PUT", "/a", fields, "x").status == 201)
            return token
        }
        try await withReceiver(folder: folder) {
            $0.makesToken = true
        } _: { site async throws in
            #expect(site.receiver.token?.text == made.text)
            #expect(site.receiver.token?.isNew == false)
        }
    }

    private static func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
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
            ReceiverConfiguration(directory: folder, host: "192.0.2.1", token: Self.token))
        let error = await #expect(throws: ReceiverError.self) { try await receiver.run() }
        guard case .cannotListen(host: "192.0.2.1", port: 0, reason: _) = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
    }
}
