import FerryFiles
import HTTPTypes

/// An unsuccessful response of an S3 server. The XML document with the error may be missing, as in a response to `HEAD`
/// or in a response of a proxy.
package struct S3Error: Hashable, Sendable {
    let status: Int
    /// The code, such as `NoSuchBucket`; empty if the response is not an S3 error.
    package let code: String
    private let details: XMLElement?
    private let fallback: UploadFailure

    /// - Parameter response: A response with an error status, or a successful one with `<Error>` in its body.
    package init(_ response: ExchangeOutcome.Response) {
        status = response.status
        let root = XMLDocument.parse(response.body)
        details = root?.name == "Error" ? root : root?.child(named: "Error")
        code = details?.child(named: "Code")?.text ?? ""
        fallback = ResponseClassifier.failure(response)
    }

    /// Returns the text of an element of the error, as one short line without control characters; nil if the
    /// element is missing or empty.
    package func detail(_ name: String) -> String? {
        details?.child(named: name).map { ServerText.cleaned($0.text) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// True if `word` occurs in the error's message, or in the name of the header field or argument that the server
    /// refused. Upper and lower case are not distinguished.
    func mentions(_ word: String) -> Bool {
        ["Message", "Header", "ArgumentName"].contains {
            detail($0)?.lowercased().contains(word.lowercased()) ?? false
        }
    }

    var isTransient: Bool { failure.isTransient }

    /// The failure with the server's error code and message, and a hint for the user if there is one. If the response
    /// has no S3 error code, the failure comes from the HTTP response alone.
    var failure: UploadFailure {
        guard !code.isEmpty else { return fallback }
        let rule = S3ErrorRule.of(code)
        var failure = fallback
        let message = detail("Message").map { ": \($0.trimmingSuffix("."))" } ?? ""
        failure.summary = "the server answered \(status) \(ServerText.cleaned(code))\(message)"
        // An error with status 2xx is a failure of the server, unless a rule for the code says otherwise.
        let usual = (200..<300).contains(status) ? .server : fallback.category
        failure.category = rule?.category ?? usual
        failure.hint = hint ?? rule?.hint ?? fallback.hint
        return failure
    }

    /// The hint for an error whose response may name a helpful value, such as the right region. Nil for other errors,
    /// or if the response lacks a value that the hint needs.
    private var hint: String? {
        switch code {
        case "RequestTimeTooSkewed":
            let clocks = [
                detail("RequestTime").map { "here it is \($0)" }, detail("ServerTime").map { "there \($0)" },
            ].compactMap { $0 }
            return "set this computer's clock, then retry"
                + (clocks.isEmpty ? "" : " (\(clocks.joined(separator: ", ")))")
        case "SignatureDoesNotMatch":
            return "check the access key and the secret in the destination's auth"
                + (detail("StringToSign").map { "; the server signed: \($0)" } ?? "")
        case "AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException":
            return detail("Region").map { "set the destination's region to \($0)" }
                ?? detail("Endpoint").map { "set the destination's url to the endpoint \($0)" }
        case "EntityTooLarge":
            return detail("MaxSizeAllowed").flatMap { ByteCount(digits: $0) }.map {
                "this server takes \(ByteFormat.sentence($0)) at most"
            }
        default: return nil
        }
    }
}

/// The category and the hint of an error code, if the HTTP status alone does not determine them.
private struct S3ErrorRule {
    var category: UploadFailure.Category
    var hint: String?

    static func of(_ code: String) -> S3ErrorRule? { rules[code] }

    private static let keys = "check the access key and the secret in the destination's auth, then retry"
    private static let renew = "renew the credentials in the destination's auth, then retry"
    private static let rights =
        "check the destination's auth: its keys must allow s3:PutObject there; then retry"

    private static let rules: [String: S3ErrorRule] = [
        "InternalError": .init(category: .server), "SlowDown": .init(category: .server),
        "ServiceUnavailable": .init(category: .server), "OperationAborted": .init(category: .server),
        "ConditionalRequestConflict": .init(category: .server), "TooManyRequests": .init(category: .server),
        "RequestTimeout": .init(category: .network), "RequestTimeoutException": .init(category: .network),
        "IncompleteBody": .init(category: .network),
        "InvalidAccessKeyId": .init(category: .authentication, hint: keys),
        "SignatureDoesNotMatch": .init(category: .authentication, hint: keys),
        "RequestTimeTooSkewed": .init(category: .authentication),
        "ExpiredToken": .init(category: .authentication, hint: renew),
        "InvalidToken": .init(category: .authentication, hint: renew),
        "TokenRefreshRequired": .init(category: .authentication, hint: renew),
        "AccessDenied": .init(category: .permanent, hint: rights),
        "AllAccessDisabled": .init(category: .permanent, hint: rights),
        "NoSuchBucket": .init(
            category: .permanent, hint: "check the bucket in the destination's url, or make it, then retry"),
        "InvalidBucketName": .init(
            category: .permanent, hint: "check the bucket in the destination's url, then retry"),
        "NoSuchUpload": .init(
            category: .permanent, hint: "the server no longer knows the upload; retry begins anew"),
        "EntityTooLarge": .init(category: .permanent, hint: "the file is larger than the server takes"),
        "EntityTooSmall": .init(
            category: .permanent, hint: "set the destination's chunkSize to what the server wants at least"),
        "KeyTooLongError": .init(category: .permanent, hint: "give the file a shorter name"),
        "InvalidStorageClass": .init(category: .permanent, hint: "check the destination's storageClass"),
        "BadDigest": .init(category: .permanent, hint: damaged),
        "XAmzContentSHA256Mismatch": .init(category: .permanent, hint: damaged),
        "XAmzContentChecksumMismatch": .init(category: .permanent, hint: damaged),
    ]

    private static let damaged =
        "the bytes were damaged twice on their way; check this computer's memory and its link, then retry"
}

extension S3Error {
    /// True if the server reports that the received content does not match the digest in the request, or that the
    /// digest is not valid.
    var isDamage: Bool {
        ["BadDigest", "InvalidDigest", "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch"].contains(
            code)
    }

    /// True if the server does not know the multipart upload: it was completed, aborted, or never created. radosgw 16.2
    /// reports the key as missing instead.
    var deniesUpload: Bool { code == "NoSuchUpload" || code == "NoSuchKey" }

    /// True if the server is overloaded, so that the client must send fewer requests.
    var asksForLess: Bool { code == "SlowDown" || code == "TooManyRequests" || [429, 503].contains(status) }

    /// Returns the server's maximum number of parts, if the error means that part number `number` is too high; nil for
    /// any other error.
    ///
    /// If the error does not state the maximum, 1,000 is assumed, which is a common maximum. The result is then nil if
    /// `number` is at most 1,000.
    func partLimit(refusing number: Int) -> Int? {
        guard ["InvalidArgument", "InvalidPartNumber", "TooManyParts"].contains(code), mentions("part") else {
            return nil
        }
        let numbers = detail("Message")?.split { !$0.isNumber }.compactMap { Int($0) } ?? []
        return numbers.filter { $0 > 1 && $0 < number }.max() ?? (number > 1000 ? 1000 : nil)
    }

    func refuses(_ feature: S3Feature) -> Bool {
        let isUnknown = status == 501 || code == "NotImplemented"
        let isArgument =
            status == 400
            && ["InvalidRequest", "InvalidArgument", "InvalidHeader", "UnsupportedArgument"].contains(code)
        switch feature {
        case .condition: return (isUnknown && !mentions("checksum")) || (isArgument && mentions("none-match"))
        case .checksum, .completionChecksum: return isUnknown || (isArgument && mentions("checksum"))
        }
    }
}

/// The features that a server possibly lacks. Uploads work without them. A raw value is a key in `ServerCapabilities`.
enum S3Feature: String, Hashable, Sendable {
    /// Support for the condition `If-None-Match: *` on `PUT` and on the request that completes an upload.
    case condition = "s3.ifNoneMatch"
    /// Support for the checksum fields `x-amz-checksum-…` of a request.
    case checksum = "s3.checksum"
    /// Support for the checksums of the parts and of the object, in the request that completes an upload.
    case completionChecksum = "s3.completionChecksum"
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
