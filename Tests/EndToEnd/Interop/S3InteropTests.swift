import FerryProtocols
import FerryTestSupport
import FerryTransfer
import Foundation
import HTTPTypes
import Testing

/// Tests signed uploads to a server that checks the signatures.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)), .enabled(if: S3Site.isHere, S3Site.needs))
struct S3InteropTests {
    private let place: Workplace
    private static let sizes = [
        "empty.bin": 0, "small ä+=&.txt": 17, "odd %41?#~'.bin": 65_537, "large.bin": 20_000_000,
    ]

    init() throws { place = try Workplace() }

    private func makeFiles() throws {
        for (name, size) in Self.sizes {
            try place.file(name, "")
            _ = try PatternFile(at: place.path(name), count: size, seed: UInt64(size))
        }
    }

    /// Uploads all files.
    ///
    /// - Returns: The number of bytes in all bodies of PUT requests.
    private func uploadAll(to site: S3Site, more: String) async throws -> Int {
        try makeFiles()
        try place.configure("s3", at: site.url + "sub%20folder/", more: S3Site.keys + more)
        let added = try await place.ferry("add", place.path("*"))
        #expect(added.ending == .exited(0), "\(added.errors)")
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
        for name in Self.sizes.keys {
            #expect(try await site.holds("sub folder/" + name, sameAs: place.path(name)), "\(name)")
        }
        return try place.exchangeSizes("PUT").reduce(0, +)
    }

    @Test func `Swift takes files whole and in parts, each byte once`() async throws {
        let sent = try await uploadAll(to: S3Site("whole"), more: #", "chunkSize": "8M""#)
        #expect(sent == Self.sizes.values.reduce(0, +))
    }

    @Test(arguments: ["crc64nvme", "sha-256"])
    func `Swift takes bodies with a signed chunk and a checksum behind it`(checksum: String) async throws {
        let sent = try await uploadAll(
            to: S3Site("streaming-\(checksum)"),
            more: #", "chunkSize": "8M", "checksum": "\#(checksum)", "s3": { "payload": "streaming" }"#)
        let content = Self.sizes.values.reduce(0, +)
        #expect(sent > content && sent < content + 4096)
    }

    @Test func `a wrong secret is refused, and said`() async throws {
        let site = try await S3Site("wrong-secret")
        try place.configure(
            "s3", at: site.url,
            more: #", "auth": { "s3": { "accessKey": "test:tester", "secretKey": "guess-3d" } }"#)
        try await place.ferry("add", try place.file("a"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
        let upload = try #require(try await place.list().first)
        #expect(upload.state == "held")
        #expect(
            upload.error
                == "the server does not accept the signature: the secret key from the configuration is wrong")
        #expect(upload.hint?.contains("auth") ?? false)
        try expectNoSecrets(["guess-3d"])
    }

    @Test func `an unknown access key is refused, and said`() async throws {
        let site = try await S3Site("wrong-key")
        try place.configure(
            "s3", at: site.url,
            more: #", "auth": { "s3": { "accessKey": "who:me", "secretKey": "testing" } }"#)
        try await place.ferry("add", try place.file("a"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
        let upload = try #require(try await place.list().first)
        #expect(upload.state == "held")
        #expect(upload.error?.contains("from the configuration") ?? false, "\(upload)")
    }

    @Test(arguments: [-3600.0, 3600])
    func `a clock that is off by an hour costs one request`(offset: Double) async throws {
        let site = try await S3Site("clock\(Int(offset) + 5000)")
        let interceptor = site.interceptor(now: { Date(timeIntervalSinceNow: offset) })
        let first = try await site.ask(.put, "key", body: [1, 2, 3], with: interceptor)
        #expect(first == (200, 2))
        #expect(try await site.ask(.head, "key", with: interceptor) == (200, 1))
    }

    @Test func `another region costs one request`() async throws {
        let site = try await S3Site("region")
        let interceptor = site.interceptor(region: "eu-west-1")
        #expect(try await site.ask(.put, "key", body: [1], with: interceptor) == (200, 2))
        #expect(interceptor.region == "us-east-1")
        #expect(try await site.ask(.head, "key", with: interceptor) == (200, 1))
    }

    @Test(arguments: ["a//b/../c", "a/./b", "~a*b!(c)'", "ä/日本", "a+b%2Bc", "trailing/"])
    func `a key is signed as it is sent`(key: String) async throws {
        let site = try await S3Site("keys")
        let path = key.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["/", "."])) ?? key
        #expect(try await site.ask(.put, path, body: [1]) == (200, 1))
        #expect(try await site.ask(.head, path) == (200, 1))
    }

    @Test(arguments: [
        "environment", "credentials file", "config file", "process of a profile", "other files",
    ])
    func `an address finds credentials where AWS's tools look`(source: String) async throws {
        let site = try await S3Site("found-\(source.replacing(" ", with: "-"))")
        var place = place
        let keys = "aws_access_key_id = test:tester\naws_secret_access_key = testing\nregion = eu-west-1\n"
        switch source {
        case "environment":
            place.environment["AWS_ACCESS_KEY_ID"] = "test:tester"
            place.environment["AWS_SECRET_ACCESS_KEY"] = "testing"
            place.environment["AWS_REGION"] = "eu-west-1"
        case "credentials file":
            try place.directory.write(Array("[default]\n\(keys)".utf8), to: "home/.aws/credentials")
        case "config file":
            place.environment["AWS_PROFILE"] = "work"
            try place.directory.write(
                Array("# mine\n[default]\nregion=x\n[profile work]\n\(keys)".utf8), to: "home/.aws/config")
        case "process of a profile":
            let script =
                #"printf '{"Version": 1, "AccessKeyId": "test:tester", "SecretAccessKey": "testing"}'"#
            let file = try place.file("keys.sh", script)
            try place.directory.write(
                Array("[default]\ncredential_process = sh \"\(file)\"\n".utf8), to: "home/.aws/config")
        default:
            place.environment["AWS_SHARED_CREDENTIALS_FILE"] = place.directory.path("other")
            try place.directory.write(Array("[default]\n\(keys)".utf8), to: "other")
        }
        let file = try place.file("a b")
        #expect(try await place.ferry("add", file, "--to", site.address).ending == .exited(0))
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
        #expect(try await site.holds("a b", sameAs: file))
    }

    @Test func `A7 a command's credentials are used, and what it prints is not shown`() async throws {
        let site = try await S3Site("command")
        let script = try place.file(
            "keys.sh",
            #"printf '{"Version": 1, "AccessKeyId": "test:tester", "SecretAccessKey": "testing", "Expiration": "2090-01-01T00:00:00Z"}'"#
        )
        try place.configure(
            "s3", at: site.url, more: #", "auth": { "s3": { "command": ["sh", "\#(script)"] } }"#)
        let file = try place.file("a")
        try await place.ferry("add", file)
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
        #expect(try await site.holds("a", sameAs: file))
    }

    @Test func `a PUT can be signed too`() async throws {
        let site = try await S3Site("put")
        try place.configure("put", at: site.url, more: S3Site.keys)
        let file = try place.file("a")
        try await place.ferry("add", file)
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        #expect(try await site.holds("a", sameAs: file))
    }

    private func expectNoSecrets(_ secrets: [String]) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: place.state) {
            let content = FileManager.default.contents(atPath: place.state + "/" + name) ?? Data()
            for secret in secrets + ["Signature="] {
                #expect(content.range(of: Data(secret.utf8)) == nil, "\(name) holds \(secret)")
            }
        }
    }
}

/// Tests uploads to moto, which does not check signatures, and whose responses have another form.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)), .enabled(if: InteropServer.hasPython, InteropServer.needsPython))
struct MotoInteropTests {
    @Test func `moto takes files whole and in parts`() async throws {
        let place = try Workplace()
        let server = try await InteropServer("moto_server.py", folder: place.directory.path("server"))
        let site = try await S3Site("moto-bucket", at: server)
        for (name, size) in ["small.txt": 17, "large.bin": 12_000_000] {
            try place.file(name, "")
            _ = try PatternFile(at: place.path(name), count: size, seed: UInt64(size))
        }
        try place.configure("s3", at: site.url, more: S3Site.keys + #", "chunkSize": "5M""#)
        try await place.ferry("add", place.path("*"))
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
        for name in ["small.txt", "large.bin"] {
            #expect(try await site.holds(name, sameAs: place.path(name)), "\(name)")
        }
        try await server.stop()
    }
}
