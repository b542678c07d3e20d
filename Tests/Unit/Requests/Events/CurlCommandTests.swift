import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

/// Tests curl commands: a shell runs them with a stub in place of curl, which prints its arguments.
struct CurlCommandTests {
    /// Runs a script and returns its output. It uses a thread of its own, because waiting for a program would block one
    /// of the few threads of tasks.
    private static func run(_ script: String, in folder: TemporaryDirectory) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let process = Process()
                        process.executableURL = URL(fileURLWithPath: "/bin/sh")
                        process.arguments = ["-c", script]
                        process.currentDirectoryURL = folder.url
                        let pipe = Pipe()
                        process.standardOutput = pipe
                        try process.run()
                        let data = pipe.fileHandleForReading.readDataToEndOfFile()
                        process.waitUntilExit()
                        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
                        return data
                    })
            }
        }
    }

    private static func arguments(_ command: String) async throws -> [String] {
        let stub = #"curl() { printf '%s\0' "$@"; }"#
        return try await run(stub + "\n" + command, in: try TemporaryDirectory())
            .split(separator: 0, omittingEmptySubsequences: false).dropLast()
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private func summary(
        _ method: HTTPRequest.Method, _ url: String, _ fields: HTTPFields = [:], length: ByteCount? = 0
    ) -> RequestSummary {
        RequestSummary(TransportRequest(method: method, url: url, fields: fields), bodyLength: length)
    }

    @Test func `the command reads as people write it`() {
        let summary = summary(
            .put, "https://user:word@server.example/f?sig=abc",
            [.contentType: "video/mp4", .authorization: "Bearer abc"], length: 1 << 20)
        #expect(
            summary.curlCommand == #"""
                curl -v \
                    -X 'PUT' \
                    -H 'Content-Type: video/mp4' \
                    -H 'Authorization: …' \
                    --data-binary '@BODY (1048576 bytes)' \
                    'https://server.example/f?sig=…'
                """#)
    }

    @Test(arguments: [
        "plain", "two words", "it's", "''", "\"quoted\"", "$HOME", "`id`", "$(id)", "back\\slash\\",
        "a;b|c&d",
        "*?[a-z]{1,2}", "~", "#no comment", "!history", "日本語 é 🎬", "-X", "@file", "tab\there", "%s\\n",
    ])
    func `a shell hands every value on as it is`(value: String) async throws {
        let name = try #require(HTTPField.Name("X-Value"))
        let summary = summary(.put, "http://h/f", [name: value, .contentType: "a/b"], length: 3)
        #expect(
            try await Self.arguments(summary.curlCommand) == [
                "-v", "-X", "PUT", "-H", "X-Value: \(summary.fields[name] ?? "")", "-H", "Content-Type: a/b",
                "--data-binary", "@BODY (3 bytes)", "http://h/f",
            ])
        #expect(summary.fields[name] == value)
    }

    @Test(arguments: [
        "http://h/it's", "http://h/$HOME/`id`", "http://h/a b\"c", "http://h/\\", "http://h/日本",
        "http://h/(a);b&c", "-o /tmp/x", "'; id; '", "http://h/\u{0}\n",
    ])
    func `an address is one argument, whatever is in it`(url: String) async throws {
        let summary = summary(.get, url)
        let arguments = try await Self.arguments(summary.curlCommand)
        #expect(arguments.prefix(3) == ["-v", "-X", "GET"])
        #expect(arguments.last == summary.url)
        #expect(arguments.dropFirst(3).dropLast().allSatisfy { ["-g", "--url"].contains($0) })
    }

    @Test func `brackets are no patterns`() async throws {
        let summary = summary(.get, "http://[::1]:8080/a")
        #expect(
            try await Self.arguments(summary.curlCommand)
                == ["-v", "-X", "GET", "-g", "--url", "http://[::1]:8080/a"])
    }

    @Test func `a HEAD has its own option and no body`() async throws {
        #expect(
            try await Self.arguments(summary(.head, "http://h/", length: nil).curlCommand) == [
                "-v", "-I", "http://h/",
            ])
    }

    @Test(arguments: [(ByteCount?.some(0), [String]()), (nil, ["@BODY"]), (.some(7), ["@BODY (7 bytes)"])])
    func `a body is named by its size`(length: ByteCount?, expected: [String]) async throws {
        let summary = summary(.post, "http://h/", [.contentType: "a/b"], length: length)
        let arguments = try await Self.arguments(summary.curlCommand)
        #expect(arguments.filter { $0.hasPrefix("@") } == expected)
        #expect(arguments.contains("--data-binary") == !expected.isEmpty)
    }

    @Test func `a body without a type stays without one`() async throws {
        let arguments = try await Self.arguments(summary(.put, "http://h/", length: 7).curlCommand)
        #expect(arguments.contains("Content-Type:"))
    }

    @Test func `a field without a value stays`() async throws {
        let name = try #require(HTTPField.Name("X-Empty"))
        let arguments = try await Self.arguments(summary(.get, "http://h/", [name: ""]).curlCommand)
        #expect(arguments.contains("X-Empty;"))
    }

    @Test func `a Unix socket is named apart`() async throws {
        let summary = summary(.get, "http+unix://%2Frun%2Fmy%20app.sock/f?a=b")
        #expect(
            try await Self.arguments(summary.curlCommand) == [
                "-v", "-X", "GET", "--unix-socket", "/run/my app.sock", "-g", "http://localhost/f?a=…",
            ])
    }

    @Test(.enabled(if: TLSServer.program("curl") != nil, "curl sends what it is told"))
    func `curl itself takes the command`() async throws {
        let server = try HostileServer([.answer(200)])
        defer { server.stop() }
        let directory = try TemporaryDirectory()
        try directory.write([1, 2, 3], to: "BODY (3 bytes)")
        let name = try #require(HTTPField.Name("X-Empty"))
        let command = summary(.put, server.url("/f"), [name: ""], length: 3).curlCommand
        _ = try await Self.run(command.replacingOccurrences(of: "curl -v", with: "curl -s"), in: directory)
        let request = try #require(server.requests.first)
        #expect(request.method == "PUT" && request.target == "/f" && request.body == [1, 2, 3])
        #expect(request["Content-Type"] == nil && request["X-Empty"] == "")
    }

    @Test func `a request reports its command before it begins`() async throws {
        var configuration = Session.Configuration()
        configuration.startsRequestsImmediately = false
        let session = Session(configuration, transport: HeldTransport())
        let get = session.request("http://h/f", query: ["token": "geheim"])
        #expect(get.summary.curlCommand == "curl -v \\\n    -X 'GET' \\\n    'http://h/f?token=…'")
        let post = session.upload(.json(["a": 1]), to: "http://h/f")
        #expect(post.summary.curlCommand.contains("--data-binary '@BODY (7 bytes)'"))
    }
}
