import FerryProtocols
import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

struct AWSProfileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func source(
        _ settings: S3Authentication = .found, credentials: String? = nil, config: String? = nil,
        environment: [String: String] = [:]
    ) throws -> S3CredentialSource {
        if let credentials { try directory.write(Array(credentials.utf8), to: "credentials") }
        if let config { try directory.write(Array(config.utf8), to: "config") }
        var environment = environment
        environment["AWS_SHARED_CREDENTIALS_FILE"] = directory.path("credentials")
        environment["AWS_CONFIG_FILE"] = directory.path("config")
        return S3CredentialSource(settings, secrets: SecretReader(), environment: environment)
    }

    @Test func `sections, comments and settings below settings are separated`() {
        let sections = AWSProfiles.parse(
            """
            stray = 1
            # comment
            [default]
            region=eu-west-1
            s3 =
              max_concurrent_requests = 20
              region = wrong
            ; comment
            [profile "my work"]
            AWS_Access_Key_Id = a=b
            [default]
            output = json
            """)
        #expect(sections["default"] == ["region": "eu-west-1", "s3": "", "output": "json"])
        #expect(sections["profile my work"] == ["aws_access_key_id": "a=b"])
        #expect(sections.count == 2)
    }

    @Test(arguments: [
        ("prog a  b", ["prog", "a", "b"]),
        (#""/a b/c" 'd "e"' "" f"g h""#, ["/a b/c", #"d "e""#, "", "fg h"]), ("  ", []),
    ])
    func `a command line has words`(line: String, words: [String]) {
        #expect(AWSProfiles.words(line) == words)
    }

    @Test func `the environment comes before files, and the credentials file before the config file`()
        async throws
    {
        let credentials = "[default]\naws_access_key_id=C\naws_secret_access_key=c\naws_session_token=t\n"
        let config = "[default]\naws_access_key_id=D\naws_secret_access_key=d\n"
        let all = try source(
            credentials: credentials, config: config,
            environment: [
                "AWS_ACCESS_KEY_ID": "E", "AWS_SECRET_ACCESS_KEY": "e", "AWS_SESSION_TOKEN": "",
            ])
        let found = try await all.load()
        #expect(found.accessKey == "E" && found.secretKey == "e" && found.sessionToken == nil)
        let file = try await source(credentials: credentials, config: config).load()
        #expect(file.accessKey == "C" && file.sessionToken == "t")
        #expect(file.origin == "the profile default in \(directory.path("credentials"))")
    }

    @Test func `a profile that is named counts more than the environment`() async throws {
        let source = try source(
            .profile("work"), credentials: "[work]\naws_access_key_id=W\naws_secret_access_key=w\n",
            config: "[profile work]\nregion = eu-west-1\n",
            environment: ["AWS_ACCESS_KEY_ID": "E", "AWS_SECRET_ACCESS_KEY": "e", "AWS_REGION": "us-west-2"])
        #expect(try await source.load().accessKey == "W")
        #expect(source.region == "eu-west-1")
    }

    @Test func `a region of the environment comes first`() throws {
        let config = "[default]\nregion = eu-west-1\n"
        #expect(try source(config: config, environment: ["AWS_REGION": "us-west-2"]).region == "us-west-2")
        #expect(
            try source(config: config, environment: ["AWS_DEFAULT_REGION": "us-west-1"]).region == "us-west-1"
        )
        #expect(try source(config: config).region == "eu-west-1")
        #expect(try source(config: "").region == nil)
    }

    @Test(arguments: [
        (
            "[default]\nsso_session = x\n",
            "has no aws_access_key_id and no credential_process (Ferry does not read sso_session)"
        ),
        ("[default]\naws_access_key_id = A\n", "has no aws_secret_access_key"),
        ("[other]\n", "there is no profile default in"),
        ("[default]\naws_access_key_id = A,B\naws_secret_access_key = x\n", "has characters that none has"),
        (
            "[default]\ncredential_process = printf {}\n",
            "the command printf did not print JSON with Version 1"
        ),
        ("[default]\ncredential_process = false\n", "the command false ended with status 1"),
    ])
    func `an unusable AWS profile is reported with the cause and a hint`(config: String, message: String)
        async throws
    {
        let source = try source(config: config)
        let failure = await #expect(throws: UploadFailure.self) { try await source.load() }
        #expect(failure?.category == .authentication)
        #expect(failure?.summary.contains(message) ?? false, "\(failure?.summary ?? "")")
        #expect(failure?.hint != nil)
    }

    @Test func `a process supplies keys, token and end`() async throws {
        let script = directory.path("keys.sh")
        try directory.write(
            Array(
                #"printf '{"Version": 1, "AccessKeyId": "P", "SecretAccessKey": "p", "SessionToken": "t", "Expiration": "2090-01-01T00:00:00+00:00"}'"#
                    .utf8), to: "keys.sh")
        let found = try await source(.command(["sh", script])).load()
        #expect(found.accessKey == "P" && found.secretKey == "p" && found.sessionToken == "t")
        #expect(found.expiration == Date(timeIntervalSince1970: 3_786_912_000))
        #expect(found.origin == "the command sh")
    }
}
