import FerryProtocols
import HTTPTypes

/// A refusal of an S3 server that `S3Interceptor` can correct or explain.
enum S3Refusal: Equatable {
    case clock(Date)
    /// The temporary credentials have expired, or the server does not accept their session token.
    case expired
    /// The server does not know the access key, or the signature does not match the secret key.
    case keys(S3Refusal.Keys)
    /// The bucket is in this region, or also at another URL.
    case region(String, isElsewhere: Bool)
    /// The server does not support the form of the body, or another part of the request.
    case notImplemented

    enum Keys: String {
        case unknown = "InvalidAccessKeyId"
        case signature = "SignatureDoesNotMatch"
    }

    /// The clock difference, in seconds, that explains a 403 without an error code, as a response to HEAD is.
    private static let telling: TimeInterval = 600

    /// - Returns: nil for any other response.
    init?(_ response: TransportResponse, now: Date) {
        guard [301, 307, 400, 401, 403, 501].contains(response.status) else { return nil }
        let error = S3Error(response.protocolResponse)
        let date = response.fields[.date].flatMap { HTTPDate.parse($0, now: now) }
        let region = (response.fields[.amzBucketRegion] ?? error.detail("Region"))
            .flatMap { Self.isRegion($0) ? $0 : nil }
        switch error.code.isEmpty ? nil : error.code {
        case "RequestTimeTooSkewed":
            guard let date else { return nil }
            self = .clock(date)
        case "ExpiredToken", "InvalidToken", "TokenRefreshRequired": self = .expired
        case "NotImplemented": self = .notImplemented
        case "AuthorizationHeaderMalformed":
            guard let region else { return nil }
            self = .region(region, isElsewhere: false)
        case "PermanentRedirect", "TemporaryRedirect":
            guard let region else { return nil }
            self = .region(region, isElsewhere: true)
        case let code?:
            guard let keys = Keys(rawValue: code) else { return nil }
            self = .keys(keys)
        case nil where response.body.isEmpty:
            if let region, response.status != 403 {
                self = .region(region, isElsewhere: response.status == 301)
            } else if response.status == 403, let date, abs(date.timeIntervalSince(now)) > Self.telling {
                self = .clock(date)
            } else {
                return nil
            }
        case nil: return nil
        }
    }

    /// True for 1 to 64 letters, digits, `-` and `_`: the form of a region, and safe in a header field.
    static func isRegion(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy(PlainCharacters(alphanumericsAnd: "-_").contains)
    }
}

extension HTTPField.Name {
    static let amzBucketRegion = named("x-amz-bucket-region")
    static let amzContentHash = named("x-amz-content-sha256")
    static let amzDate = named("x-amz-date")
    static let amzDecodedLength = named("x-amz-decoded-content-length")
    static let amzSecurityToken = named("x-amz-security-token")
    static let amzTrailer = named("x-amz-trailer")
}
