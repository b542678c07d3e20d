import FerryProtocols
import FerryTransfer
import Foundation
import HTTPTypes
import Testing

struct S3InterceptorTests {
    private static let context = RequestContext()

    private static func adapted(_ request: TransportRequest, url: String) async throws -> TransportRequest {
        try await S3Stage([.fine], url: url).interceptor.adapt(request, for: context)
    }

    @Test func `a request is signed as AWS's example is`() async throws {
        let request = try await Self.adapted(
            TransportRequest(method: .get, url: "https://examplebucket.s3.amazonaws.com/?lifecycle"),
            url: "https://examplebucket.s3.amazonaws.com/")
        #expect(
            request.field("authorization")
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                + "SignedHeaders=host;x-amz-content-sha256;x-amz-date, "
                + "Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
        #expect(request.field("x-amz-date") == "20130524T000000Z")
        #expect(request.url == "https://examplebucket.s3.amazonaws.com/?lifecycle")
    }

    @Test func `the address is sent in the form that was signed`() async throws {
        let request = try await Self.adapted(
            TransportRequest(
                method: .put, url: "http://127.0.0.1:9000/b/a+b%2fc/é?partNumber=1&uploadId=a/b#x"),
            url: "http://127.0.0.1:9000/b/")
        #expect(request.url == "http://127.0.0.1:9000/b/a%2Bb/c/%C3%A9?partNumber=1&uploadId=a%2Fb")
    }

    @Test func `bytes in memory are hashed whatever the protocol says`() async throws {
        let name = try #require(HTTPField.Name("x-amz-content-sha256"))
        let request = try await Self.adapted(
            TransportRequest(
                method: .put, url: "https://bucket.example/k", fields: [name: "UNSIGNED-PAYLOAD"],
                body: .bytes(Array("hello".utf8))), url: "https://bucket.example/")
        #expect(
            request.fields[name] == "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
    }

    @Test(arguments: ["https://other.example/", "http://bucket.example/k", "https://bucket.example:444/k"])
    func `a request to another server is not signed and not sent`(url: String) async throws {
        let stage = S3Stage([.fine])
        await #expect(throws: UploadFailure.self) { try await stage.get(url) }
        #expect(stage.log.all.isEmpty)
    }

    @Test func `a session token is sent and signed`() async throws {
        let stage = S3Stage(
            [.fine], store: S3CredentialStore { () async throws(UploadFailure) in .temporary("T1") })
        #expect(try await stage.get() == 200)
        let request = try #require(stage.log.all.first)
        #expect(request.field("x-amz-security-token") == "T1")
        #expect(request.field("authorization")?.contains("x-amz-date;x-amz-security-token") ?? false)
    }

    @Test func `P13 a clock that is off is corrected by the server's, and stays so`() async throws {
        let stage = S3Stage([
            .s3(403, "RequestTimeTooSkewed", fields: [.date: "Fri, 24 May 2013 05:00:00 GMT"]), .fine,
        ])
        #expect(try await stage.get() == 200)
        #expect(try await stage.get() == 200)
        #expect(
            stage.log.all.map { $0.field("x-amz-date") } == [
                "20130524T000000Z", "20130524T050000Z", "20130524T050000Z",
            ])
    }

    @Test func `P13 the date of a HEAD's response alone corrects the clock`() async throws {
        let stage = S3Stage([
            TransportResponse(status: 403, fields: [.date: "Fri, 24 May 2013 05:00:00 GMT"]), .fine,
        ])
        #expect(try await stage.get() == 200)
    }

    @Test func `P13 a server that does not like its own time is asked no more`() async throws {
        let stage = S3Stage([
            .s3(403, "RequestTimeTooSkewed", fields: [.date: "Fri, 24 May 2013 05:00:00 GMT"])
        ])
        #expect(try await stage.get() == 403)
        #expect(stage.log.all.count == 2)
    }

    @Test(arguments: [
        TransportResponse.s3(400, "AuthorizationHeaderMalformed", "<Region>eu-west-1</Region>"),
        .s3(301, "PermanentRedirect", fields: [.bucketRegion: "eu-west-1"]),
        TransportResponse(status: 400, fields: [.bucketRegion: "eu-west-1"]),
    ])
    func `a region is learnt once, for all requests`(refusal: TransportResponse) async throws {
        let stage = S3Stage([refusal, .fine])
        #expect(try await stage.get() == 200)
        #expect(try await stage.get() == 200)
        #expect(stage.log.all.map(\.signedRegion) == ["us-east-1", "eu-west-1", "eu-west-1"])
        #expect(stage.interceptor.region == "eu-west-1")
    }

    @Test func `a bucket at another address is named with its region`() async throws {
        let stage = S3Stage([.s3(301, "PermanentRedirect", fields: [.bucketRegion: "eu-west-1"])])
        let failure = await #expect(throws: UploadFailure.self) { try await stage.get() }
        #expect(
            failure?.summary == "the bucket is in the region eu-west-1, which this address does not serve")
        #expect(stage.log.all.count == 2)
    }

    @Test(arguments: ["eu\r\nX-Evil: 1", "", "a/b", String(repeating: "a", count: 65)])
    func `a region that cannot exist is not believed`(region: String) async throws {
        let stage = S3Stage([.s3(400, "AuthorizationHeaderMalformed", "<Region>\(region)</Region>")])
        #expect(try await stage.get() == 400)
        #expect(stage.log.all.count == 1)
    }

    @Test func `a server that names a new region each time gets three requests more at most`() async throws {
        let answers = (1...9).map {
            TransportResponse.s3(400, "AuthorizationHeaderMalformed", "<Region>r\($0)</Region>")
        }
        let stage = S3Stage(answers)
        #expect(try await stage.get() == 400)
        #expect(stage.log.all.count == 4)
    }

    @Test(arguments: [("InvalidAccessKeyId", "does not know"), ("SignatureDoesNotMatch", "secret key")])
    func `wrong keys end the request with the source of the keys`(code: String, said: String) async throws {
        let stage = S3Stage([.s3(403, code)])
        let failure = await #expect(throws: UploadFailure.self) { try await stage.get() }
        #expect(failure?.category == .authentication)
        #expect(failure?.summary.contains(said) ?? false)
        #expect(failure?.summary.contains("from the settings") ?? false)
        #expect(stage.log.all.count == 1)
    }

    @Test(arguments: ["AccessDenied", "NoSuchBucket", "NotImplemented", "SlowDown"])
    func `an error that no signature corrects is left to the protocol`(code: String) async throws {
        let stage = S3Stage([.s3(403, code)])
        #expect(try await stage.get() == 403)
        #expect(stage.log.all.count == 1)
    }
}

extension HTTPField.Name {
    static var bucketRegion: HTTPField.Name { .init("x-amz-bucket-region") ?? .location }
}
