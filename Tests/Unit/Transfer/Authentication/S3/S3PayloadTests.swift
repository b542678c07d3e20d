import FerryProtocols
import FerryTransfer
import Foundation
import HTTPTypes
import Synchronization
import Testing

/// Tests the whole body that the transport would send for a signed request.
struct S3PayloadTests {
    private static let hello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    private static let sum = HTTPField.Name("x-amz-checksum-crc64nvme")

    private static func adapted(
        _ payload: S3PayloadForm, scheme: String, fields: HTTPFields = [:], content: String = "hello",
        stream: BodyStream? = nil
    ) async throws -> TransportRequest {
        let url = "\(scheme)://bucket.example/"
        var body = StreamedBody(
            [.bytes([]), stream.map { .stream($0) } ?? .bytes(Array(content.utf8)), .bytes([])])
        body.rateLimiter = EvenLimiter()
        return try await S3Stage([.fine], url: url, payload: payload).interceptor.adapt(
            TransportRequest(method: .put, url: "\(url)key", fields: fields, body: .streamed(body)),
            for: RequestContext())
    }

    private static func text(_ request: TransportRequest) throws -> String {
        guard case .streamed(let body) = request.body else { return "" }
        let bytes = body.segments.flatMap { segment -> [UInt8] in
            if case .bytes(let bytes) = segment { bytes } else { [] }
        }
        #expect(body.length == ByteCount(bytes.count))
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func fields(hash: String?) throws -> HTTPFields {
        let name = try #require(HTTPField.Name("x-amz-content-sha256"))
        var fields: HTTPFields = [try #require(sum): "M3eFcAZSQlc="]
        fields[name] = hash
        return fields
    }

    @Test func `the payload hash that the protocol sets stays by default`() async throws {
        for hash in [Self.hello, "UNSIGNED-PAYLOAD"] {
            let request = try await Self.adapted(.auto, scheme: "http", fields: Self.fields(hash: hash))
            #expect(request.field("x-amz-content-sha256") == hash)
            #expect(request.field("x-amz-checksum-crc64nvme") == "M3eFcAZSQlc=")
            #expect(try Self.text(request) == "hello")
        }
    }

    @Test func `a body of which the protocol says nothing is hashed in the clear only`() async throws {
        let plain = try await Self.adapted(.auto, scheme: "http")
        #expect(plain.field("x-amz-content-sha256") == Self.hello)
        let encrypted = try await Self.adapted(.auto, scheme: "https")
        #expect(encrypted.field("x-amz-content-sha256") == "UNSIGNED-PAYLOAD")
    }

    @Test func `a signed payload is hashed over https too`() async throws {
        let request = try await Self.adapted(
            .signed, scheme: "https", fields: Self.fields(hash: "UNSIGNED-PAYLOAD"))
        #expect(request.field("x-amz-content-sha256") == Self.hello)
    }

    @Test func `over https the streaming form leaves the content to TLS and puts the sum behind it`()
        async throws
    {
        let request = try await Self.adapted(
            .streaming, scheme: "https", fields: Self.fields(hash: "UNSIGNED-PAYLOAD"))
        #expect(try Self.text(request) == "5\r\nhello\r\n0\r\nx-amz-checksum-crc64nvme:M3eFcAZSQlc=\r\n\r\n")
        #expect(request.field("x-amz-content-sha256") == "STREAMING-UNSIGNED-PAYLOAD-TRAILER")
        #expect(request.field("x-amz-trailer") == "x-amz-checksum-crc64nvme")
        #expect(request.field("x-amz-checksum-crc64nvme") == nil)
        #expect(request.field("x-amz-decoded-content-length") == "5")
        #expect(request.field("content-encoding") == "aws-chunked")
        #expect(
            request.field("authorization")?.contains(
                "SignedHeaders=content-encoding;host;x-amz-content-sha256;x-amz-date;"
                    + "x-amz-decoded-content-length;x-amz-trailer,") ?? false)
    }

    @Test func `in the clear the streaming form signs its chunk, with the hash that is known`() async throws {
        let known = try await Self.adapted(
            .streaming, scheme: "http", fields: Self.fields(hash: Self.hello))
        let read = try await Self.adapted(.streaming, scheme: "http", fields: Self.fields(hash: nil))
        let text = try Self.text(known)
        #expect(try Self.text(read) == text)
        #expect(known.field("x-amz-content-sha256") == "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER")
        #expect(
            text.contains(
                /^5;chunk-signature=[0-9a-f]{64}\r\nhello\r\n0;chunk-signature=[0-9a-f]{64}\r\nx-amz-checksum-crc64nvme:M3eFcAZSQlc=\r\nx-amz-trailer-signature:[0-9a-f]{64}\r\n\r\n$/
            ))
    }

    @Test func `without a sum the chunk is signed alone, and over https the body goes as it is`() async throws
    {
        let plain = try await Self.adapted(.streaming, scheme: "http")
        #expect(plain.field("x-amz-content-sha256") == "STREAMING-AWS4-HMAC-SHA256-PAYLOAD")
        #expect(plain.field("x-amz-trailer") == nil)
        let encrypted = try await Self.adapted(.streaming, scheme: "https")
        #expect(encrypted.field("x-amz-content-sha256") == "UNSIGNED-PAYLOAD")
        #expect(try Self.text(encrypted) == "hello")
    }

    @Test func `in the clear a body that can be read once and has no sum goes unsigned, without chunks`()
        async throws
    {
        let stream = BodyStream(length: 5) { AsyncThrowingStream<[UInt8], any Error> { $0.finish() } }
        let request = try await Self.adapted(.streaming, scheme: "http", stream: stream)
        #expect(request.field("x-amz-content-sha256") == "UNSIGNED-PAYLOAD")
        #expect(request.field("content-encoding") == nil)
    }

    @Test func `an encoding of the destination's own stays`() async throws {
        var fields = try Self.fields(hash: nil)
        fields[.contentEncoding] = "gzip"
        let request = try await Self.adapted(.streaming, scheme: "https", fields: fields)
        #expect(request.field("content-encoding") == "aws-chunked, gzip")
    }

    @Test func `rate limiter and last check stay with the body`() async throws {
        let url = "https://bucket.example/"
        let body = StreamedBody(
            [.bytes(Array("hello".utf8))], beforeLastBytes: {}, rateLimiter: EvenLimiter())
        let request = try await S3Stage([.fine], url: url, payload: .streaming).interceptor.adapt(
            TransportRequest(
                method: .put, url: "\(url)k", fields: Self.fields(hash: nil), body: .streamed(body)),
            for: RequestContext())
        guard case .streamed(let framed) = request.body else {
            Issue.record("no streamed body")
            return
        }
        #expect(framed.beforeLastBytes != nil)
        #expect(framed.rateLimiter is EvenLimiter)
        #expect(framed.segments.count == 3)
    }

    @Test func `a server without the streaming form is named, with the setting to change`() async throws {
        let stage = S3Stage([.s3(501, "NotImplemented")], payload: .streaming)
        let body = StreamedBody([.bytes(Array("hello".utf8))])
        let request = try await stage.interceptor.adapt(
            TransportRequest(
                method: .put, url: "https://bucket.example/k", fields: Self.fields(hash: nil),
                body: .streamed(body)), for: RequestContext())
        let answer = TransportResponse.s3(501, "NotImplemented")
        let refused = UploadFailure(.permanent, "no")
        #expect(stage.interceptor.canRecover(answer))
        let decision = await stage.interceptor.retry(
            request, after: .rejected(answer, refused), for: RequestContext())
        guard case .fail(let error) = decision, let failure = error as? UploadFailure else {
            Issue.record("\(decision)")
            return
        }
        #expect(failure.hint?.contains("payload to auto") ?? false)
    }
}

private struct EvenLimiter: RateLimiter {
    var chunkLimit: ByteCount? { nil }
    func delay(beforeSending bytes: ByteCount) -> Duration { .zero }
}
