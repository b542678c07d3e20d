import FerryTestSupport
import Foundation
import Testing

/// Tests Ferry in a working directory of another user, whose files have the names that the configuration uses.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct WorkingDirectoryTests {
    private let place: Workplace
    private let foreign: String

    init() throws {
        place = try Workplace()
        foreign = try place.folder("foreign")
    }

    /// Runs `ferry` in the other user's folder.
    private func ferry(_ arguments: String...) async throws -> CommandResult {
        let words = ["sh", "-c", "cd \"$0\" && exec \"$@\"", foreign]
        return try await Workplace.result(of: try place.start(through: words, arguments))
    }

    /// Writes a program into the home folder, and another with the same name into the other user's folder.
    private func programs(_ name: String, home: String, foreign: String) throws {
        _ = try place.directory.program("#!/bin/sh\necho '\(home)'\n", at: "home/\(name)")
        _ = try place.directory.program("#!/bin/sh\necho '\(foreign)'\n", at: "foreign/\(name)")
    }

    @Test(arguments: [#"["bin/tok"]"#, #"["~/bin/tok"]"#, #"["sh", "bin/tok"]"#])
    func `a relative program of a secret is the one in home, wherever Ferry starts`(command: String)
        async throws
    {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        try programs("bin/tok", home: "mine", foreign: "theirs")
        try place.configure(
            "put", at: server.url("/"), more: #", "auth": { "bearer": { "command": \#(command) } }"#)
        try await place.ferry("add", try place.file("a"))
        let result = try await ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output)")
        #expect(server.requests.first?["Authorization"] == "Bearer mine")
    }

    @Test(arguments: [0o755, 0o777, 0o1777])
    func `a command starts in home only if others cannot create files there`(mode: Int) async throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let home = place.directory.path("home")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: home)
        try place.configure(
            "put", at: server.url("/"), more: #", "auth": { "bearer": { "command": ["pwd"] } }"#)
        try await place.ferry("add", try place.file("a"))
        let result = try await ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output)")
        #expect(server.requests.first?["Authorization"] == "Bearer \(mode == 0o755 ? home : "/")")
    }

    @Test func `a relative credential_process is the one in home, wherever Ferry starts`() async throws {
        let server = try HostileServer([.answer(200)])
        defer { server.stop() }
        func printed(_ key: String) -> String {
            #"{ "Version": 1, "AccessKeyId": "\#(key)", "SecretAccessKey": "s3cret" }"#
        }
        try programs("bin/keys", home: printed("MINE"), foreign: printed("THEIRS"))
        try place.directory.write(
            Array("[profile p]\ncredential_process = bin/keys\n".utf8), to: "home/.aws/config")
        try place.configure(
            "s3", at: server.url("/bucket/"), more: #", "auth": { "s3": { "profile": "p" } }"#)
        try await place.ferry("add", try place.file("a"))
        _ = try await ferry("run", "--exit-when-idle")
        let authorization = try #require(server.requests.first?["Authorization"])
        #expect(authorization.contains("Credential=MINE/"), "\(authorization)")
    }

    @Test func `a certificate in the working directory is not used, and the error names the one in home`()
        async throws
    {
        try place.directory.write(Array("x".utf8), to: "foreign/ca.pem")
        try place.configure("put", at: "https://127.0.0.1:9/", more: #", "tls": { "caFile": "ca.pem" }"#)
        let result = try await ferry("check", "here")
        let printed = result.output + result.errors
        let path = place.directory.path("home/ca.pem")
        #expect(
            printed.contains("the TLS file \(path) cannot be read: no such file or directory"), "\(printed)")
    }
}
