import FerryTestSupport
import Foundation
import Testing

@testable import FerryProtocols

/// Runs the signing test suite of AWS, with signatures in header fields and in the query. Its service has other rules
/// than S3.
struct SigV4SuiteTests {
    private struct Suite: Decodable {
        var cases: [String: [String: String]]
    }

    private struct Context: Decodable {
        struct Keys: Decodable { var accessKeyId: String, secretAccessKey: String, token: String? }
        var credentials: Keys
        var expirationInSeconds: Int
        var normalize: Bool
        var region: String
        var service: String
        var signBody: Bool
        var timestamp: Date
        var omitSessionToken: Bool?
    }

    /// A request of the suite. Its lines end with a line feed, and a field may continue on the next line.
    private struct Message {
        var method: String
        var path: String
        var query: String?
        var fields: [(name: String, value: String)] = []
        var body: String

        init(_ text: String) throws {
            let halves = text.components(separatedBy: "\n\n")
            body = halves.count > 1 ? halves[1] : ""
            var lines = halves[0].split(separator: "\n")
            let line = lines.removeFirst()
            let target = line.dropFirst(line.prefix { $0 != " " }.count + 1).dropLast(" HTTP/1.1".count)
            method = String(line.prefix { $0 != " " })
            let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            path = String(parts[0])
            query = parts.count > 1 ? String(parts[1]) : nil
            for line in lines {
                if line.hasPrefix(" "), let last = fields.popLast() {
                    fields.append((last.name, "\(last.value)\n\(line)"))
                } else {
                    let pair = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                    fields.append((String(pair[0]), String(pair[1])))
                }
            }
        }
    }

    private static func request(_ message: Message, _ context: Context, byHeader: Bool) -> SigV4Request {
        let hash = SigV4Encoding.hash(Array(message.body.utf8))
        var fields = message.fields
        if byHeader {
            fields.append(("X-Amz-Date", SigV4Scope(context.timestamp, region: "", service: "").time))
            if context.signBody { fields.append(("x-amz-content-sha256", hash)) }
            if context.omitSessionToken != true, let token = context.credentials.token {
                fields.append(("X-Amz-Security-Token", token))
            }
        }
        // Services other than S3 encode the path twice, and most of them first remove dot segments.
        let path = context.normalize ? normalized(message.path) : message.path
        return SigV4Request(
            method: message.method,
            path: SigV4Encoding.encoded(Array(path.utf8), keeping: SigV4Encoding.plainInPath),
            query: message.query, fields: fields, payload: hash)
    }

    /// Removes `.`, `..` and empty segments (RFC 3986 §5.2.4).
    private static func normalized(_ path: String) -> String {
        var segments: [Substring] = []
        for segment in path.split(separator: "/") where segment != "." {
            if segment == ".." { _ = segments.popLast() } else { segments.append(segment) }
        }
        let isFolder = path.hasSuffix("/") || path.hasSuffix("/.") || path.hasSuffix("/..")
        return "/" + segments.joined(separator: "/") + (isFolder && !segments.isEmpty ? "/" : "")
    }

    @Test func `every case of the suite has the published signature, by header and by query`() throws {
        let suite = try vectors("aws-sigv4-test-suite", as: Suite.self)
        #expect(suite.cases.count == 38)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        for (name, files) in suite.cases {
            let context = try decoder.decode(
                Context.self, from: Data(try #require(files["context.json"]).utf8))
            let message = try Message(try #require(files["request.txt"]))
            let credentials = S3Credentials(
                accessKey: context.credentials.accessKeyId,
                secretKey: context.credentials.secretAccessKey,
                sessionToken: context.credentials.token)
            let scope = SigV4Scope(context.timestamp, region: context.region, service: context.service)
            var signer = SigV4Signer()
            let header = signer.sign(
                Self.request(message, context, byHeader: true), with: credentials, in: scope)
            #expect(header.canonicalRequest == files["header-canonical-request.txt"], "\(name)")
            #expect(header.stringToSign == files["header-string-to-sign.txt"], "\(name)")
            #expect(header.text == files["header-signature.txt"], "\(name)")
            let query = signer.presign(
                Self.request(message, context, byHeader: false), with: credentials, in: scope,
                expiry: context.expirationInSeconds, signsToken: context.omitSessionToken != true
            ).signature
            #expect(query.canonicalRequest == files["query-canonical-request.txt"], "\(name)")
            #expect(query.stringToSign == files["query-string-to-sign.txt"], "\(name)")
            #expect(query.text == files["query-signature.txt"], "\(name)")
        }
    }
}
