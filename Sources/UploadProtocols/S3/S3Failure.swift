import FerryFiles
import HTTPTypes

/// An unsuccessful response of an S3 server. The XML document with the error may be missing, as after `HEAD`.
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

    /// Returns the text of an element of the error, as one short line; nil if it is missing or empty.
    package func detail(_ name: String) -> String? {
        details?.child(named: name).map { ServerText.cleaned($0.text) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// True if `word` occurs, in any case, in the error's message or in the name of the refused field or argument.
    func mentions(_ word: String) -> Bool {
        ["Message", "Header", "ArgumentName"].contains {
            detail($0)?.lowercased().contains(word.lowercased()) ?? false
        }
    }

    var isTransient: Bool { failure.isTransient }

    /// The failure with the server's error code and message. Without a code, it comes from the HTTP response alone.
    var failure: UploadFailure {
        guard !code.isEmpty else { return fallback }
        let rule = Self.rules[code]
        var failure = fallback
        let message = detail("Message").map { ": \($0.hasSuffix(".") ? String($0.dropLast()) : $0)" } ?? ""
        failure.summary = "the server answered \(status) \(ServerText.cleaned(code))\(message)"
        // An error with status 2xx is a failure of the server, unless a rule for the code says otherwise.
        let usual = (200..<300).contains(status) ? .server : fallback.category
        failure.category = rule?.category ?? usual
        failure.hint = hint ?? rule?.hint ?? fallback.hint
        return failure
    }

    /// The hint with a value that the response names, such as the right region; nil if there is none.
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

extension S3Error {
    private static let keys = "check the access key and the secret in the destination's auth, then retry"
    private static let renew = "renew the credentials in the destination's auth, then retry"
    private static let rights =
        "check the destination's auth: its keys must allow s3:PutObject there; then retry"

    /// The category and the hint of an error code, if the HTTP status alone does not determine them.
    private static let rules: [String: (category: UploadFailure.Category, hint: String?)] = [
        "InternalError": (.server, nil), "SlowDown": (.server, nil), "ServiceUnavailable": (.server, nil),
        "OperationAborted": (.server, nil), "ConditionalRequestConflict": (.server, nil),
        "TooManyRequests": (.server, nil), "RequestTimeout": (.network, nil),
        "RequestTimeoutException": (.network, nil), "IncompleteBody": (.network, nil),
        "InvalidAccessKeyId": (.authentication, keys), "SignatureDoesNotMatch": (.authentication, keys),
        "RequestTimeTooSkewed": (.authentication, nil), "ExpiredToken": (.authentication, renew),
        "InvalidToken": (.authentication, renew), "TokenRefreshRequired": (.authentication, renew),
        "AccessDenied": (.permanent, rights), "AllAccessDisabled": (.permanent, rights),
        "NoSuchBucket": (.permanent, "check the bucket in the destination's url, or make it, then retry"),
        "InvalidBucketName": (.permanent, "check the bucket in the destination's url, then retry"),
        "NoSuchUpload": (.permanent, "the server no longer knows the upload; retry begins anew"),
        "EntityTooLarge": (.permanent, "the file is larger than the server takes"),
        "EntityTooSmall": (.permanent, "set the destination's chunkSize to what the server wants at least"),
        "KeyTooLongError": (.permanent, "give the file a shorter name"),
        "InvalidStorageClass": (.permanent, "check the destination's storageClass"),
        "BadDigest": (.permanent, damaged), "XAmzContentSHA256Mismatch": (.permanent, damaged),
        "XAmzContentChecksumMismatch": (.permanent, damaged),
    ]

    private static let damaged =
        "the bytes were damaged twice on their way; check this computer's memory and its link, then retry"

    /// True if the server reports that the received content does not match the digest, or that the digest is invalid.
    var isDamage: Bool {
        ["BadDigest", "InvalidDigest", "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch"].contains(
            code)
    }

    /// True if the server does not know the multipart upload. radosgw 16.2 reports the key as missing instead.
    var deniesUpload: Bool { code == "NoSuchUpload" || code == "NoSuchKey" }

    /// True if the server is overloaded, so that the client must send fewer requests.
    var asksForLess: Bool { code == "SlowDown" || code == "TooManyRequests" || [429, 503].contains(status) }

    /// Returns the server's maximum number of parts, or 1,000 if the error names none, if part `number` is above it.
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
