import FerryProtocols
import FerryTestSupport
import FerryTransfer
import Foundation
import HTTPTypes
import Synchronization

/// Fri, 24 May 2013 00:00:00 GMT, the day of AWS's examples.
let exampleDay = Date(timeIntervalSince1970: 1_369_353_600)

extension S3Credentials {
    static let example = S3Credentials(
        accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")

    static func temporary(_ token: String, until end: Date? = nil) -> S3Credentials {
        S3Credentials(
            accessKey: "ASIA\(token)", secretKey: "secret-\(token)", sessionToken: token, expiration: end,
            origin: "the script")
    }
}

/// A server whose responses the test decides, and a sender that signs its requests.
struct S3Stage {
    /// The requests that were received, in order.
    final class Log: Sendable {
        private let requests = Mutex<[TransportRequest]>([])
        var all: [TransportRequest] { requests.withLock { $0 } }
        /// Adds a request.
        ///
        /// - Returns: The number of requests before it.
        func append(_ request: TransportRequest) -> Int {
            requests.withLock {
                $0.append(request)
                return $0.count - 1
            }
        }
    }

    let log = Log()
    let interceptor: S3Interceptor
    let sender: RequestSender

    /// - Parameter answers: The response to each request, in order. The last one serves all further requests.
    init(
        _ answers: [TransportResponse], url: String = "https://bucket.example/", region: String = "us-east-1",
        payload: S3PayloadForm = .auto, store: S3CredentialStore? = nil, now: Date = exampleDay
    ) {
        let log = log
        interceptor = S3Interceptor(
            for: url, region: region, payload: payload,
            credentials: store ?? S3CredentialStore { () async throws(UploadFailure) in .example },
            now: { now })
        let transport = ScriptedTransport { request in
            let number = log.append(request)
            return .success(answers[min(number, answers.count - 1)])
        }
        sender = RequestSender(
            over: transport, interceptor: Interceptor(interceptors: [interceptor]))
    }

    func get(_ url: String = "https://bucket.example/key") async throws(UploadFailure) -> Int {
        switch try await sender.ask(Exchange(.get, url)) {
        case .responded(let answer): answer.status
        case .broken(let failure, _): throw failure
        }
    }
}

extension TransportResponse {
    static func s3(_ status: Int, _ code: String, _ more: String = "", fields: HTTPFields = [:])
        -> TransportResponse
    {
        let text = "<?xml version=\"1.0\"?>\n<Error><Code>\(code)</Code><Message>no</Message>\(more)</Error>"
        return TransportResponse(status: status, fields: fields, body: Array(text.utf8))
    }

    static let fine = TransportResponse(status: 200)
}

extension TransportRequest {
    func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }

    /// The region in the signature's scope, which is `20130524/us-east-1/s3/aws4_request`.
    var signedRegion: String? {
        field("authorization")?.split(separator: "/").dropFirst(2).first.map(String.init)
    }
}
