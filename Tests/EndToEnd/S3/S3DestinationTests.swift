import FerryTestSupport
import Foundation
import Testing

/// Tests S3 destinations as users give them, and what is said without their credentials.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct S3DestinationTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test func `a literal secret key that others can read is refused, an access key is none`() async throws {
        for (keys, status) in [
            (#""accessKey": "AK", "secretKey": "s3cret""#, Int32(2)),
            (#""accessKey": "AK", "secretKey": { "env": "X" }, "sessionToken": "s3cret""#, 2),
            // A warning says that the variable is not set.
            (#""accessKey": "AK", "secretKey": { "env": "X" }"#, 1),
        ] {
            try place.configure("s3", at: "https://h/b/", more: #", "auth": { "s3": { \#(keys) } }"#)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: place.configurationFile)
            let result = try await place.ferry("config")
            #expect(result.ending == .exited(status), "\(keys)")
            #expect(!result.errors.contains("s3cret"))
        }
    }

    @Test func `without credentials the upload is held, and says what was looked for and where`() async throws
    {
        let server = try HostileServer([.answer(200)])
        defer { server.stop() }
        try await place.ferry("add", try place.file("a"), "--to", "s3+\(server.url("/b/"))")
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
        let upload = try #require(try await place.list().first)
        #expect(upload.state == "held")
        let home = place.directory.path("home")
        #expect(
            upload.error
                == "there are no S3 credentials: AWS_ACCESS_KEY_ID is not set, and there is no profile default in "
                + "\(home)/.aws/credentials (which is not there) and \(home)/.aws/config (which is not there)"
        )
        #expect(server.requests.isEmpty)
    }

    @Test func `a bucket is an address on the command line too`() async throws {
        let file = try place.file("a")
        #expect(try await place.ferry("add", file, "--to", "s3://photos/2026/").ending == .exited(0))
        let upload = try #require(try await place.list().first)
        #expect(upload.url == "https://photos.s3.amazonaws.com/2026/")
        #expect(upload.protocol == "s3")
        let wrong = try await place.ferry("add", file, "--to", "s3://")
        #expect(wrong.ending == .exited(2))
        #expect(wrong.errors.contains("s3+https://host/bucket/folder/"))
    }
}
