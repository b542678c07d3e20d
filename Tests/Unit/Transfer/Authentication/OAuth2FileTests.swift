import FerryProtocols
import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FerryTransfer

struct OAuth2FileTests {
    private let directory: TemporaryDirectory
    private let file: TokenFile
    private var path: String { directory.path("tokens/here.json") }

    init() throws {
        directory = try TemporaryDirectory()
        file = TokenFile(LocalPath(directory.path("tokens/here.json")))
    }

    private func stored() throws -> StoredTokens {
        try StoredTokens.decode(try Data(contentsOf: URL(fileURLWithPath: path)), file: path)
    }

    private func authenticator(
        _ endpoint: TokenEndpoint, _ client: OAuth2Client = OAuth2Client.make(), date: Date = Date()
    ) -> OAuth2Authenticator {
        OAuth2Authenticator(client, file: file, transport: endpoint.transport, date: { date })
    }

    @Test func `A5 a token that the server replaced is in a private file before the renewal ends`()
        async throws
    {
        _ = try await authenticator(.rotating()).refresh(.missing)
        #expect(try stored().refreshToken == "r1")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path("tokens")).sorted() == [
                "here.json", "here.json.lock",
            ])
    }

    @Test func `A5 the next run uses the access token that is left, and then the replaced token`()
        async throws
    {
        let endpoint = TokenEndpoint.rotating()
        let first = try await authenticator(endpoint).refresh(.missing)
        let next = authenticator(endpoint)
        let same = try await next.refresh(.missing)
        #expect(same.accessToken == first.accessToken)
        #expect(endpoint.all.count == 1)
        let renewed = try await next.refresh(same)
        #expect(renewed.accessToken == "a2")
        #expect(endpoint.tokens == ["r0", "r1"])
    }

    @Test(arguments: [3400.0, -1.0])
    func `S17 an access token that is nearly over, or from the future, is not used`(later: Double)
        async throws
    {
        let endpoint = TokenEndpoint.rotating()
        let now = Date()
        _ = try await authenticator(endpoint, date: now).refresh(.missing)
        _ = try await authenticator(endpoint, date: now + later).refresh(.missing)
        #expect(endpoint.tokens == ["r0", "r1"])
    }

    @Test func `a token file that another program keeps locked is given up after ninety seconds`()
        async throws
    {
        let waited = Mutex(Duration.zero)
        let waiting = TokenFile(file.path) { time in waited.withLock { $0 += time } }
        let failure = await #expect(throws: UploadFailure.self) {
            try await file.locked { (_) async throws(UploadFailure) in
                try await waiting.locked { (_) async throws(UploadFailure) in }
            }
        }
        #expect(failure?.category == .network)
        #expect(failure?.summary.contains(path) == true)
        #expect(waited.withLock { $0 } == .seconds(90))
    }

    @Test func `another sign-in, client or server begins anew`() async throws {
        let endpoint = TokenEndpoint { number, _ in
            .json(
                200,
                #"{"access_token":"a","token_type":"bearer","expires_in":3600,"refresh_token":"n\#(number)"}"#
            )
        }
        _ = try await authenticator(endpoint).refresh(.missing)
        _ = try await authenticator(endpoint, OAuth2Client.make(refreshToken: { "s0" })).refresh(.missing)
        _ = try await authenticator(endpoint, OAuth2Client.make(url: "https://other.example/")).refresh(
            .missing)
        #expect(endpoint.tokens == ["r0", "s0", "r0"])
    }

    @Test func `A5 the token before is tried when the server forgot that it replaced it`() async throws {
        let endpoint = TokenEndpoint { number, form in
            form["refresh_token"] == "r0"
                ? .json(200, #"{"access_token":"a\#(number)","token_type":"bearer","refresh_token":"lost"}"#)
                : .json(400, #"{"error":"invalid_grant"}"#)
        }
        let first = try await authenticator(endpoint).refresh(.missing)
        #expect(try await authenticator(endpoint).refresh(first).accessToken == "a3")
        #expect(endpoint.tokens == ["r0", "lost", "r0"])
    }

    @Test func `two that share the file never use a replaced token`() async throws {
        let endpoint = TokenEndpoint.rotating()
        let (one, two) = (authenticator(endpoint), authenticator(endpoint))
        var (left, right) = (OAuth2Credential.missing, OAuth2Credential.missing)
        for _ in 0..<5 {
            // The server has refused both tokens.
            let (oldLeft, oldRight) = (left, right)
            async let newLeft = one.refresh(oldLeft)
            async let newRight = two.refresh(oldRight)
            (left, right) = (try await newLeft, try await newRight)
        }
        #expect(endpoint.tokens == (0..<endpoint.all.count).map { "r\($0)" })
    }

    @Test func `A5 a replaced token that cannot be stored is not used, and stored when that is possible`()
        async throws
    {
        let endpoint = TokenEndpoint.rotating()
        let authenticator = authenticator(endpoint)
        let first = try await authenticator.refresh(.missing)
        // A folder stands where the new file is made. Missing permissions would not stop root.
        try directory.write([0], to: "tokens/here.json.new/x")
        let error = await #expect(throws: UploadFailure.self) { try await authenticator.refresh(first) }
        #expect(error?.summary.hasPrefix("cannot open \(path).new: ") == true, "\(error?.summary ?? "")")
        #expect(try stored().refreshToken == "r1")
        try FileManager.default.removeItem(atPath: path + ".new")
        #expect(try await authenticator.refresh(first).accessToken == "a2")
        #expect(try stored().refreshToken == "r2")
        #expect(endpoint.tokens == ["r0", "r1"])
    }

    @Test func `A5 the leftover of a killed program does not block a new token file`() async throws {
        let endpoint = TokenEndpoint.rotating()
        try directory.write(Array("{".utf8), to: "tokens/here.json.new")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o700], ofItemAtPath: directory.path("tokens"))
        _ = try await authenticator(endpoint).refresh(.missing)
        #expect(try stored().refreshToken == "r1")
    }

    /// Puts blanks before the text of the token file.
    private func lengthen(to size: Int) throws {
        let text = try Data(contentsOf: URL(filePath: path))
        let blanks = [UInt8](repeating: 0x20, count: size - text.count)
        try directory.write(blanks + text, to: "tokens/here.json")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    @Test func `a token file of 64 KiB is read`() async throws {
        let endpoint = TokenEndpoint.rotating()
        let first = try await authenticator(endpoint).refresh(.missing)
        try lengthen(to: 64 << 10)
        #expect(try await authenticator(endpoint).refresh(.missing).accessToken == first.accessToken)
        #expect(endpoint.all.count == 1)
    }

    @Test func `a file of tokens below a folder that others can change is refused before anything is sent`()
        async throws
    {
        let endpoint = TokenEndpoint.rotating()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory.path)
        let failure = try #require(await TokenEndpoint.failure(of: endpoint, file: file))
        #expect(failure.category == .authentication)
        #expect(failure.hint?.contains("`chmod go-w \(directory.path)`") == true, "\(failure)")
        #expect(endpoint.all.isEmpty)
        // In a folder such as /tmp no user can replace the folders of another.
        try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: directory.path)
        _ = try await authenticator(endpoint).refresh(.missing)
    }

    @Test(arguments: [
        "readable", "link", "folder", "lock link", "open folder", "broken", "newer",
        "long",
    ])
    func `a file that is not safe is refused before anything is sent`(danger: String) async throws {
        let endpoint = TokenEndpoint.rotating()
        _ = try await authenticator(endpoint).refresh(.missing)
        let files = FileManager.default
        switch danger {
        case "readable": try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        case "link":
            try files.moveItem(atPath: path, toPath: path + ".real")
            try files.createSymbolicLink(atPath: path, withDestinationPath: path + ".real")
        case "folder":
            try files.removeItem(atPath: path)
            try files.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        case "lock link":
            try files.removeItem(atPath: path + ".lock")
            try files.createSymbolicLink(atPath: path + ".lock", withDestinationPath: path)
        case "open folder":
            try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory.path("tokens"))
        case "broken": try directory.write(Array("{".utf8), to: "tokens/here.json")
        case "long": try lengthen(to: 64 << 10 + 1)
        default:
            let text = try String(contentsOfFile: path, encoding: .utf8).replacing(
                "\"version\" : 1", with: "\"version\" : 2")
            try directory.write(Array(text.utf8), to: "tokens/here.json")
        }
        if ["broken", "newer"].contains(danger) {
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        let failure = try #require(await TokenEndpoint.failure(of: endpoint, file: file))
        #expect(failure.category == .authentication)
        #expect(failure.hint?.hasSuffix("then retry") == true)
        #expect(endpoint.all.count == 1)
    }
}
