import FerryProtocols
import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

/// Tests files that are read as a whole, with the greatest allowed size and one byte more.
@Suite(.timeLimit(.minutes(10)))
struct FileSizeTests {
    private static let limit = 1 << 20

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Writes a private file of `size` bytes: a text, followed by the filler.
    private func file(_ name: String, _ text: String, _ filler: Character, size: Int) throws -> String {
        let missing = String(repeating: filler, count: size - text.utf8.count)
        let path = try directory.write(Array((text + missing).utf8), to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    @Test func `a configuration of 1 MiB is read`() throws {
        let path = try file("config.json", "{}", " ", size: Self.limit)
        #expect(throws: Never.self) { try ConfigurationFile.load(path) }
    }

    @Test func `a configuration of a byte more than 1 MiB is refused`() throws {
        let path = try file("config.json", "{}", " ", size: Self.limit + 1)
        let failure = #expect(throws: UploadFailure.self) { try ConfigurationFile.load(path) }
        #expect(failure?.summary == "the configuration \(path) is larger than 1 MiB")
    }

    @Test func `a secret in a file of 1 MiB is read`() async throws {
        let path = try file("secret", "canary\n", "x", size: Self.limit)
        #expect(try await SecretReader().read(.file(path)) == "canary")
    }

    @Test func `a secret in a file of a byte more than 1 MiB is missing`() async throws {
        let path = try file("secret", "canary\n", "x", size: Self.limit + 1)
        let failure = await #expect(throws: UploadFailure.self) {
            try await SecretReader().read(.file(path))
        }
        #expect(failure?.summary == "the secret is missing: the file \(path) is larger than 1 MiB")
    }

    @Test func `a secret behind a symbolic link is read`() async throws {
        let path = try file("secret", "canary", "\n", size: 7)
        let link = directory.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(try await SecretReader().read(.file(link)) == "canary")
    }

    @Test(arguments: [(limit, true), (limit + 1, false)])
    func `a profile of AWS may end where 1 MiB of its file ends`(end: Int, isWhole: Bool) throws {
        let profile = "\n[work]\naws_access_key_id = KEY"
        let comment = "#" + String(repeating: "x", count: end - profile.utf8.count - 1)
        let path = try file("credentials", comment + profile, " ", size: end)
        let profiles = AWSProfiles(environment: ["AWS_SHARED_CREDENTIALS_FILE": path])
        let values = try profiles.credentials("work")?.values
        #expect(values?["aws_access_key_id"] == (isWhole ? "KEY" : "KE"))
    }
}
