import FerryTestSupport
import Foundation
import Testing

@testable import FerryProtocols

struct SigV4Tests {
    private struct Vectors: Decodable {
        struct Keys: Decodable { var accessKeyId: String, secretAccessKey: String }
        struct Case: Decodable {
            var name: String
            var method: String
            var path: String
            var query: [[String]]
            var headers: [String: String]
            var payloadHash: String
            var canonicalRequest: String
            var stringToSign: String
            var authorization: String
        }
        struct Presigned: Decodable {
            var url: String, canonicalRequest: String, stringToSign: String, signature: String
        }

        var credentials: Keys
        var signingKeyHex: String
        var cases: [Case]
        var presigned: [Presigned]
    }

    private static let scope = SigV4Scope(Date(timeIntervalSince1970: 1_369_353_600), region: "us-east-1")
    private let vectors: Vectors
    private let credentials: S3Credentials

    init() throws {
        vectors = try UploadProtocolsTests.vectors("sigv4-s3", as: Vectors.self)
        credentials = S3Credentials(
            accessKey: vectors.credentials.accessKeyId, secretKey: vectors.credentials.secretAccessKey)
    }

    @Test func `a date is written as the scope wants it`() {
        #expect(Self.scope.time == "20130524T000000Z")
        #expect(Self.scope.text == "20130524/us-east-1/s3/aws4_request")
    }

    @Test func `the signing key is AWS's`() {
        let key = SigV4Key(secret: credentials.secretKey, scope: Self.scope)
        #expect(SigV4Encoding.hex(key.bytes) == vectors.signingKeyHex)
    }

    @Test func `every request of S3's examples is signed as published`() {
        #expect(vectors.cases.count == 8)
        var signer = SigV4Signer()
        for vector in vectors.cases {
            let query = vector.query.map { item in
                item.map { SigV4Encoding.encoded(Array($0.utf8)) }.joined(separator: "=")
            }
            let request = SigV4Request(
                method: vector.method, path: vector.path, query: query.joined(separator: "&"),
                fields: vector.headers.map { ($0.key, $0.value) }, payload: vector.payloadHash)
            let signature = signer.sign(request, with: credentials, in: Self.scope)
            #expect(signature.canonicalRequest == vector.canonicalRequest, "\(vector.name)")
            #expect(signature.stringToSign == vector.stringToSign, "\(vector.name)")
            #expect(
                signature.authorization(credentials.accessKey, Self.scope) == vector.authorization,
                "\(vector.name)")
        }
    }

    @Test func `a presigned address is as published`() throws {
        let vector = try #require(vectors.presigned.first)
        var signer = SigV4Signer()
        let request = SigV4Request(
            method: "GET", path: "/test.txt", query: nil,
            fields: [("host", "examplebucket.s3.amazonaws.com")], payload: "UNSIGNED-PAYLOAD")
        let (query, signature) = signer.presign(request, with: credentials, in: Self.scope, expiry: 86_400)
        #expect(signature.canonicalRequest == vector.canonicalRequest)
        #expect(signature.stringToSign == vector.stringToSign)
        #expect("https://examplebucket.s3.amazonaws.com/test.txt?\(query)" == vector.url)
    }

    @Test func `the path and query that are signed are those that are sent, however they were written`() {
        let plain = SigV4Request(
            method: "PUT", path: "/b/a%20b+c~%c3%a9=&%2Fx//../y%", query: "uploads&uploadId=a+b%2fc",
            fields: [], payload: "")
        #expect(plain.sentPath == "/b/a%20b%2Bc~%C3%A9%3D%26/x//../y%25")
        #expect(plain.sentQuery == "uploads&uploadId=a%2Bb%2Fc")
        let lines = plain.canonical.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[1] == plain.sentPath)
        #expect(lines[2] == "uploadId=a%2Bb%2Fc&uploads=")
        let again = SigV4Request(
            method: "PUT", path: plain.sentPath, query: plain.sentQuery, fields: [], payload: "")
        #expect(again.canonical == plain.canonical)
    }

    @Test func `another day, region or secret has another key`() {
        var signer = SigV4Signer()
        let request = SigV4Request(method: "GET", path: "/", query: nil, fields: [], payload: "")
        let tomorrow = SigV4Scope(Date(timeIntervalSince1970: 1_369_440_000), region: "us-east-1")
        let elsewhere = SigV4Scope(Date(timeIntervalSince1970: 1_369_353_600), region: "eu-west-1")
        var other = credentials
        other.secretKey = "other"
        let signatures = [
            signer.sign(request, with: credentials, in: Self.scope),
            signer.sign(request, with: credentials, in: tomorrow),
            signer.sign(request, with: credentials, in: elsewhere),
            signer.sign(request, with: other, in: Self.scope),
        ]
        #expect(Set(signatures.map(\.text)).count == 4)
        #expect(signer.sign(request, with: credentials, in: Self.scope).text == signatures[0].text)
    }

    @Test func `printed credentials and signers hold no secret`() {
        var signer = SigV4Signer()
        _ = signer.sign(
            SigV4Request(method: "GET", path: "/", query: nil, fields: [], payload: ""), with: credentials,
            in: Self.scope)
        var text = "\(credentials) \(signer)"
        dump(credentials, to: &text)
        dump(signer, to: &text)
        #expect(!text.contains(credentials.secretKey))
        #expect(!text.contains(credentials.accessKey))
    }
}
