import FerryFiles

/// An S3 destination in the form that S3's own tools use, `s3://bucket/prefix/`, and its http or https URL.
package struct S3Location: Hashable, Sendable {
    /// The part of the URL that contains the bucket's name.
    package enum Addressing: String, Hashable, Sendable, CaseIterable {
        /// The bucket is the first segment of the path, which AWS and most other servers accept.
        case path
        case host
        /// The bucket is in the path, unless no endpoint is given and the TLS certificate of AWS covers its host.
        case auto
    }

    /// The reason why a text is not a valid destination.
    package struct Issue: Error, Hashable {
        /// The expected value, as the end of a sentence after “expected”.
        package let expected: String
        /// True if the endpoint is invalid, false if the `s3://` text is.
        package let isEndpoint: Bool
    }

    private static let scheme = "s3://"

    /// True if the URL begins with `s3://`.
    package static func isLocation(_ url: String) -> Bool { url.lowercased().hasPrefix(scheme) }

    /// The http or https URL of the destination, percent-encoded except the placeholder `{name}`.
    package let url: String
    /// True if the bucket is in the path of the URL.
    package let isBucketInPath: Bool

    /// - Parameters:
    ///   - location: The text `s3://bucket/prefix/`, possibly with `{name}`. Without a path, the key is the name.
    ///   - endpoint: The server's URL without a bucket; nil means AWS.
    ///   - region: The region at AWS; nil means AWS's host without a region, `s3.amazonaws.com`.
    /// - Throws: `Issue` if `location` or `endpoint` is not valid, or if a host name cannot contain the bucket's name.
    package init(
        _ location: String, endpoint: String? = nil, region: String? = nil, addressing: Addressing = .auto
    ) throws(Issue) {
        guard Self.isLocation(location) else { throw Self.malformed }
        let rest = location.dropFirst(Self.scheme.count)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let bucket = String(rest[..<slash])
        guard Self.isBucket(bucket), !rest.contains("?"), !rest.contains("#") else { throw Self.malformed }
        let path = slash == rest.endIndex ? "/" : Self.encoded(rest[slash...])
        let base = try endpoint.map(Self.base) ?? Self.amazon(region)
        switch addressing {
        case .path: isBucketInPath = true
        case .host: isBucketInPath = false
        case .auto: isBucketInPath = endpoint != nil || !Self.isLabel(bucket)
        }
        if isBucketInPath {
            url = "\(base.scheme)://\(base.authority)/\(bucket)\(path)"
        } else {
            guard Self.isLabel(bucket) || bucket.split(separator: ".").allSatisfy(Self.isLabel) else {
                throw Issue(
                    expected: "a bucket whose name can stand in a host's, or addressing \"path\"",
                    isEndpoint: false)
            }
            url = "\(base.scheme)://\(bucket).\(base.authority)\(path)"
        }
    }

    private typealias Base = (scheme: String, authority: String)

    private static func amazon(_ region: String?) -> Base {
        let domain = region?.hasPrefix("cn-") ?? false ? "amazonaws.com.cn" : "amazonaws.com"
        return ("https", region.map { "s3.\($0).\(domain)" } ?? "s3.\(domain)")
    }

    private static func base(_ endpoint: String) throws(Issue) -> Base {
        let parts = endpoint.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, ["http", "https"].contains(parts[0].lowercased()),
            UploadAddress.expectation(brokenBy: endpoint) == nil,
            // A path in the endpoint is not allowed: the bucket is the first segment.
            ["/", ""].contains(parts[1].drop { $0 != "/" }),
            !parts[1].contains(where: { "@?#{".contains($0) })
        else {
            throw Issue(
                expected: "the server's http or https address, such as https://s3.example.org",
                isEndpoint: true)
        }
        return (parts[0].lowercased(), String(parts[1].prefix { $0 != "/" }))
    }

    private static let malformed = Issue(
        expected: "an address such as s3://bucket/folder/", isEndpoint: false)

    /// True for a valid bucket name. The rules are wider than those of AWS, because other servers allow more names.
    private static func isBucket(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count)
            && name.utf8.allSatisfy(PlainCharacters(alphanumericsAnd: ".-_").contains)
            && name.utf8.first.map(PlainCharacters(alphanumericsAnd: "").contains) ?? false
    }

    /// True for one label of a host name (RFC 1123 §2.1) in lower case. The wildcard of a TLS certificate covers one
    /// only, so `auto` puts a bucket with several labels into the path.
    private static func isLabel(_ text: some StringProtocol) -> Bool {
        (1...63).contains(text.utf8.count)
            && text.utf8.allSatisfy(PlainCharacters(alphanumericsAnd: "-").contains)
            && !text.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            && !text.hasPrefix("-") && !text.hasSuffix("-")
    }

    private static func encoded(_ path: Substring) -> String {
        path.split(separator: UploadAddress.nameMark, omittingEmptySubsequences: false)
            .map { SigV4Encoding.encoded(SigV4Encoding.decoded($0), keeping: SigV4Encoding.plainInPath) }
            .joined(separator: UploadAddress.nameMark)
    }
}
