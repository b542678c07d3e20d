import HTTPTypes
import Testing

@testable import FerryProtocols

struct S3FailureTests {
    private func error(_ status: Int, _ code: String, _ more: String = "") -> S3Error {
        guard case .responded(let answer) = FakeS3.error(status, code, more) else {
            return S3Error(.init(status: 0))
        }
        return S3Error(answer)
    }

    @Test(arguments: [
        (503, "SlowDown", UploadFailure.Category.server), (500, "InternalError", .server),
        (200, "InternalError", .server), (200, "Whatever", .server), (400, "RequestTimeout", .network),
        (403, "AccessDenied", .permanent), (403, "SignatureDoesNotMatch", .authentication),
        (403, "InvalidAccessKeyId", .authentication), (400, "ExpiredToken", .authentication),
        (403, "RequestTimeTooSkewed", .authentication), (404, "NoSuchBucket", .permanent),
        (400, "MalformedXML", .permanent), (409, "OperationAborted", .server), (418, "Unknown", .permanent),
    ])
    func `a code says who can do something`(status: Int, code: String, category: UploadFailure.Category) {
        let failure = error(status, code).failure
        #expect(failure.category == category)
        #expect(failure.summary == "the server answered \(status) \(code): Told by a test")
    }

    @Test func `a failure about two clocks that differ shows both`() {
        let skewed = error(
            403, "RequestTimeTooSkewed",
            "<RequestTime>20261120T000000Z</RequestTime><ServerTime>2026-11-20T01:00:00Z</ServerTime>")
        #expect(
            skewed.failure.hint
                == "set this computer's clock, then retry (here it is 20261120T000000Z, there 2026-11-20T01:00:00Z)"
        )
    }

    @Test func `another region is named`() {
        let other = error(400, "AuthorizationHeaderMalformed", "<Region>eu-central-1</Region>")
        #expect(other.failure.hint == "set the destination's region to eu-central-1")
    }

    @Test func `a response that is no error of S3's is classified by its status`() {
        let proxy = S3Error(.init(status: 502, body: Array("<html>".utf8)))
        #expect(proxy.code.isEmpty)
        #expect(proxy.failure.category == .server)
        #expect(S3Error(.init(status: 404)).failure.category == .permanent)
    }

    @Test func `a server's text cannot steer a terminal`() {
        let said = S3Error(
            .init(
                status: 400,
                body: Array("<Error><Code>A&#x202E;B</Code><Message>line\none\u{85}</Message></Error>".utf8)))
        #expect(said.failure.summary == "the server answered 400 AB: line one")
    }

    @Test(
        arguments: [
            ("Part number must be an integer between 1 and 1000, inclusive", 1001, 1000),
            ("Part number must be an integer between 1 and 99999999999999999999, inclusive", 2000, 1000),
            ("Part number 2000 is above 500", 2000, 500), ("A bad part", 7, nil),
        ] as [(String, Int, Int?)])
    func `a limit on parts is read from the words`(message: String, number: Int, limit: Int?) {
        let body = "<Error><Code>InvalidArgument</Code><Message>\(message)</Message></Error>"
        #expect(S3Error(.init(status: 400, body: Array(body.utf8))).partLimit(refusing: number) == limit)
    }

    @Test func `an argument that has nothing to do with parts is no limit on them`() {
        #expect(error(400, "InvalidArgument").partLimit(refusing: 2000) == nil)
    }
}
