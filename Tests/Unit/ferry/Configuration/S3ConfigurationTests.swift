import FerryProtocols
import FerryTransfer
import Foundation
import Testing

@testable import FerryCommand

/// Tests valid and invalid configurations of S3 destinations.
struct S3ConfigurationTests {
    private static func parsed(_ members: String) throws -> DestinationSettings {
        let text = #"{ "destinations": { "a": { \#(members) } } }"#
        return try #require(try ConfigurationFile.parse(Data(text.utf8), file: "f").destinations["a"])
    }

    @Test(
        arguments: [
            (#""url": "s3://photos/2026/""#, "https://photos.s3.amazonaws.com/2026/", false),
            (
                #""url": "s3://photos/", "s3": { "region": "eu-west-1" }"#,
                "https://photos.s3.eu-west-1.amazonaws.com/", false
            ),
            (#""url": "s3://my.photos/""#, "https://s3.amazonaws.com/my.photos/", true),
            (#""url": "s3://b/x/", "s3": { "endpoint": "http://h:9000" }"#, "http://h:9000/b/x/", true),
            (
                #""url": "s3://b/", "s3": { "endpoint": "https://h", "addressing": "host" }"#, "https://b.h/",
                false
            ),
            (#""url": "https://h/b/x/""#, "https://h/b/x/", nil),
            (#""url": "https://b.h/x/", "s3": { "addressing": "host" }"#, "https://b.h/x/", false),
        ] as [(String, String, Bool?)])
    func `a bucket and a prefix become an address when they are read`(
        members: String, url: String, isInPath: Bool?
    ) throws {
        let settings = try Self.parsed(#""protocol": "s3", \#(members)"#)
        #expect(settings.url == url)
        #expect(settings.options.s3.bucketInPath == isInPath)
        #expect(settings.authentication == .s3(.found))
    }

    @Test func `everything that an S3 destination can say is read`() throws {
        let settings = try Self.parsed(
            #"""
            "url": "s3://b/", "protocol": "s3",
            "s3": { "region": "eu-west-1", "payload": "streaming", "storageClass": "STANDARD_IA" },
            "auth": { "s3": { "accessKey": "AK", "secretKey": { "env": "X" }, "sessionToken": { "file": "/t" } } }
            """#)
        #expect(settings.s3.region == "eu-west-1")
        #expect(settings.s3.payload == .streaming)
        #expect(settings.options.s3.storageClass == "STANDARD_IA")
        #expect(
            settings.authentication
                == .s3(
                    .keys(accessKey: .literal("AK"), secretKey: .environment("X"), sessionToken: .file("/t")))
        )
    }

    @Test(arguments: [
        (#""default""#, S3Authentication.found), ("{}", .found),
        (#"{ "profile": "work" }"#, .profile("work")),
        (#"{ "command": ["keys", "a"] }"#, .command(["keys", "a"])),
    ])
    func `credentials come from where the configuration says`(text: String, settings: S3Authentication) throws
    {
        let parsed = try Self.parsed(#""url": "https://h/b/", "protocol": "s3", "auth": { "s3": \#(text) }"#)
        #expect(parsed.authentication == .s3(settings))
    }

    @Test(
        arguments: [
            (#""url": "s3://""#, "destinations.a.url: expected an address such as s3://bucket/folder/"),
            (
                #""url": "s3://b/", "s3": { "endpoint": "h" }"#,
                "destinations.a.s3.endpoint: expected the server's"
            ),
            (
                #""url": "https://h/b/", "s3": { "endpoint": "https://h" }"#,
                "destinations.a.s3.endpoint: expected no such member: url says where the server is"
            ),
            (
                #""url": "s3://b/", "s3": { "regoin": "x" }"#,
                "destinations.a.s3.regoin: expected another key (did you mean `region`?), one of addressing,"
            ),
            (
                #""url": "s3://b/", "s3": { "region": "a b" }"#,
                "destinations.a.s3.region: expected a name such as"
            ),
            (
                #""url": "s3://b/", "s3": { "addressing": "dns" }"#,
                "destinations.a.s3.addressing: expected one of path, host, auto"
            ),
            (
                #""url": "s3://b/", "s3": { "payload": "none" }"#,
                "destinations.a.s3.payload: expected one of auto, streaming, signed"
            ),
            (
                #""url": "s3://b/", "s3": { "storageClass": "a\r\nb" }"#,
                "destinations.a.s3.storageClass: expected a name such as STANDARD_IA"
            ),
            (
                #""url": "s3://B_C/", "s3": { "addressing": "host" }"#,
                "destinations.a.url: expected a bucket whose name can stand in a host's"
            ),
            (
                #""url": "s3://b/", "auth": { "s3": { "accessKey": "a" } }"#,
                "destinations.a.auth.s3.secretKey: expected {\"env\""
            ),
            (
                #""url": "s3://b/", "auth": { "s3": { "secretKey": "a" } }"#,
                "destinations.a.auth.s3.accessKey: expected the key's public half"
            ),
            (
                #""url": "s3://b/", "auth": { "s3": { "profile": "a", "command": ["b"] } }"#,
                "destinations.a.auth.s3.profile: expected one kind"
            ),
            (#""url": "s3://b/", "auth": { "s3": "work" }"#, "destinations.a.auth.s3: expected \"default\""),
            (
                #""url": "s3://b/", "auth": { "s3": { "command": [] } }"#,
                "destinations.a.auth.s3.command: expected a program and its arguments"
            ),
        ] as [(String, String)])
    func `an error is reported with its key and what is expected`(members: String, message: String) throws {
        let failure = #expect(throws: UploadFailure.self) {
            try Self.parsed(#""protocol": "s3", \#(members)"#)
        }
        #expect(failure?.summary.contains(message) ?? false, "\(failure?.summary ?? "")")
    }

    @Test(arguments: [
        (#""url": "s3://b/""#, "protocol: expected s3"),
        (#""url": "http://h/", "s3": { "region": "x" }"#, "s3: expected no such member"),
    ])
    func `other protocols know nothing of it`(members: String, message: String) {
        let failure = #expect(throws: UploadFailure.self) {
            try Self.parsed(#""protocol": "put", \#(members)"#)
        }
        #expect(failure?.summary.contains(message) ?? false, "\(failure?.summary ?? "")")
    }
}
