import HTTPTypes
import Testing

@testable import FerryProtocols

struct ProtocolChoiceTests {
    @Test(arguments: [
        ("s3://bucket/folder/", "s3"), ("https://bucket.s3.eu-central-1.amazonaws.com/in/", "s3"),
        ("https://s3.amazonaws.com/bucket/a?X-Amz-Signature=abc", "put"),
        ("https://storage.googleapis.com/bucket/a?X-Goog-Signature=abc", "put"),
        ("https://team.blob.core.windows.net/films/{name}?sv=1&sig=abc", "azure"),
        ("https://storage.googleapis.com/upload/storage/v1/b/films/o?uploadType=resumable", "google"),
        ("https://www.googleapis.com/upload/drive/v3/files", "google"),
        ("https://graph.microsoft.com/v1.0/me/drive/root:/f/{name}:/createUploadSession", "graph"),
        ("https://cloud.example/remote.php/dav/files/me/in/", "nextcloud"),
    ])
    func `an address that names its protocol is not asked`(url: String, name: String) {
        #expect(ProtocolChoice.named(by: url)?.name == name)
    }

    @Test(arguments: [
        "https://example.com/files/", "https://notamazonaws.com/",
        "https://team.blob.core.windows.net/films/",
        "https://graph.microsoft.com/v1.0/me/", "https://maps.googleapis.com/", "", "://", "http://[::1]/",
        "https://amazonaws.com.example/",
    ])
    func `any other address names no protocol`(url: String) {
        #expect(ProtocolChoice.named(by: url) == nil)
    }

    @Test(
        arguments: [
            (
                [.tusVersion: "1.0.0,0.2.2", .tusResumable: "1.0.0"], "tus",
                "the server says Tus-Version 1.0.0"
            ),
            ([.tusResumable: "1.0.0"], "tus", "the server says Tus-Resumable 1.0.0"),
            ([.tusExtension: "creation"], "tus", "the server says Tus-Extension"),
            ([.named("Upload-Limit"): "max-size=10"], "resumable", "the server says Upload-Limit"),
            (
                [.named("Upload-Draft-Interop-Version"): "6"], "resumable",
                "the server says Upload-Draft-Interop-Version"
            ),
            (
                [.named("DAV"): "1, 2", .allow: "OPTIONS, PROPFIND, PUT, MOVE"], "webdav",
                "the server says DAV"
            ),
            (
                [.named("DAV"): "1,2", .allow: "OPTIONS,GET,HEAD,DELETE,PROPFIND,MOVE"], "webdav",
                "the server says DAV"
            ),
            ([.named("DAV"): "1", .allow: "OPTIONS, GET, PROPFIND"], "put", nil),
            ([.named("x-amz-request-id"): "tx0"], "s3", "the server says x-amz-request-id"),
            ([.allow: "GET, put"], "put", "the server allows PUT"),
            ([.allow: "GET, HEAD"], "put", nil), ([:], "put", nil),
            ([.tusVersion: "0.2.2"], "put", nil),
            ([.tusExtension: "creation", .named("Upload-Limit"): "x"], "tus", nil),
        ] as [(HTTPFields, String, String?)])
    func `a folder's own response decides the protocol`(fields: HTTPFields, name: String, reason: String?)
        throws
    {
        let choice = try ProtocolChoice.named(
            by: .init(status: 200, fields: fields), at: "http://h.example/in/")
        #expect(choice.name == name)
        if let reason { #expect(choice.because == reason) }
    }

    @Test(arguments: [400, 403, 404, 405, 501])
    func `a folder of a server without OPTIONS is taken by PUT`(status: Int) throws {
        #expect(
            try ProtocolChoice.named(by: .init(status: status), at: "http://h.example/{name}").name == "put")
    }

    @Test(
        arguments: [
            ("http://h.example/upload", [:], "set protocol to put, post, form or tus"),
            ("http://h.example/upload", [.allow: "PUT"], "set protocol to put,"),
            ("http://h.example/in/", [.allow: "POST, OPTIONS"], "set protocol to post or form"),
        ] as [(String, HTTPFields, String)])
    func `an undecided protocol is a failure with the settings to choose from`(
        url: String, fields: HTTPFields, hint: String
    ) {
        let failure = #expect(throws: UploadFailure.self) {
            try ProtocolChoice.named(by: .init(status: 200, fields: fields), at: url)
        }
        #expect(failure?.summary == "nothing here says how to upload")
        #expect(failure?.hint?.hasPrefix(hint) == true)
    }

    @Test(
        arguments: [
            ([:], 200, "put"), ([.allow: "GET, PUT"], 200, "put"), ([:], 405, "put"),
            ([.named("DAV"): "1", .allow: "PUT"], 200, "put"),
            ([.tusVersion: "1.0.0", .tusResumable: "1.0.0"], 200, "tus"),
            ([.named("Upload-Limit"): "min-size=0"], 204, "resumable"),
        ] as [(HTTPFields, Int, String)])
    func `at an address that was given without a slash what the server says decides, else it is a file's`(
        fields: HTTPFields, status: Int, name: String
    ) throws {
        let choice = try ProtocolChoice.named(
            by: .init(status: status, fields: fields), at: "http://h.example/files", isGivenAddress: true)
        #expect(choice.name == name)
    }

    @Test func `a choice is a sentence, and comes back from where it is kept`() {
        let choice = ProtocolChoice("tus", because: "the server says Tus-Version 1.0.0")
        #expect(choice.sentence == "tus, because the server says Tus-Version 1.0.0")
        #expect(ProtocolChoice(choice.added(to: ["x": "y"])) == choice)
        #expect(ProtocolChoice(["x": "y"]) == nil)
    }
}
