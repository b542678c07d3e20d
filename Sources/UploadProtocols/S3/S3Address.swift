import FerryFiles

/// The URLs of an S3 destination: the URL of the bucket and the URLs of its objects.
struct S3Address: Hashable, Sendable {
    /// The configured scheme, host and port.
    let origin: String
    let bucket: String
    let isBucketInPath: Bool
    /// The path of the destination's URL, without the query. It can contain the placeholder `{name}` for a file's name.
    private let path: String

    /// - Throws: `UploadFailure` (`permanent`) if the text is no URL, or if the URL names no bucket.
    init(_ url: String, options: S3Options) throws(UploadFailure) {
        let url = UploadAddress.withoutQuery(url)
        let (server, path, _) = UploadAddress.parts(of: url)
        let address = server.utf8.drop { $0 != UInt8(ascii: ":") }
        guard address.startIndex > server.startIndex, address.starts(with: "://".utf8),
            address.count + path.utf8.count > 3
        else { throw Self.noBucket(url) }
        let host = Substring(address.dropFirst(3).prefix { $0 != UInt8(ascii: ":") }).lowercased()
        (origin, self.path) = (String(server), String(path))
        isBucketInPath = options.bucketInPath ?? (Self.bucket(inHost: host) == nil)
        if isBucketInPath {
            let first = String(Substring(path.utf8.dropFirst().prefix { $0 != UInt8(ascii: "/") }))
            guard !first.isEmpty, !(first.hasByte("{") && first.contains(UploadAddress.nameMark)) else {
                throw Self.noBucket(url)
            }
            bucket = String(decoding: SigV4Encoding.decoded(first), as: UTF8.self)
        } else {
            let name = Self.bucket(inHost: host) ?? host.split(separator: ".").first.map(String.init)
            guard let name else { throw Self.noBucket(url) }
            bucket = name
        }
    }

    /// Returns the key of the object for a file with this name. Throws `UploadFailure` (`permanent`) if it is empty.
    func key(for name: String) throws(UploadFailure) -> String {
        let key = key(inPath: UploadAddress.address(path, for: name))
        guard !key.isEmpty else {
            throw UploadFailure(
                .permanent, "the destination's url names a bucket and no key in it",
                hint: "end the url with a slash, then retry")
        }
        return key
    }

    /// The prefix that the keys of all files at this destination have.
    var prefix: String {
        guard let mark = path.firstRange(of: UploadAddress.nameMark) else { return key(inPath: path) }
        return key(inPath: String(path[..<mark.lowerBound]))
    }

    /// Returns the URL of an object. The key is percent-encoded once, in the form that the signature needs.
    func object(_ key: String) -> String {
        bucketAddress + "/" + key.percentEncoded(keeping: SigV4Encoding.plainInPath)
    }

    /// The URL of the bucket, without a slash at its end.
    var bucketAddress: String { isBucketInPath ? origin + "/" + bucket.percentEncoded() : origin }

    /// True if the requests use https. TLS then protects their content from changes on the way.
    var isEncrypted: Bool { origin.lowercased().hasPrefix("https:") }

    /// Returns the percent-encoded query of `name=value` pairs, with its question mark.
    static func query(_ pairs: KeyValuePairs<String, String>) -> String {
        "?" + pairs.map { "\($0.percentEncoded())=\($1.percentEncoded())" }.joined(separator: "&")
    }

    private func key(inPath path: String) -> String {
        var rest = path.utf8.dropFirst()
        if isBucketInPath { rest = rest.drop { $0 != UInt8(ascii: "/") }.dropFirst() }
        return String(decoding: SigV4Encoding.decoded(Substring(rest)), as: UTF8.self)
    }

    /// Returns the bucket in an AWS host name such as `bucket.s3.REGION.amazonaws.com`; nil for any other host.
    private static func bucket(inHost host: String) -> String? {
        guard host.hasSuffix(".amazonaws.com") || host.hasSuffix(".amazonaws.com.cn") else { return nil }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard let end = labels.dropFirst().firstIndex(where: { $0 == "s3" || $0.hasPrefix("s3-") })
        else { return nil }
        return labels[..<end].joined(separator: ".")
    }

    private static func noBucket(_ url: String) -> UploadFailure {
        UploadFailure(
            .permanent, "the destination's url names no bucket: \(ServerText.cleaned(url))",
            hint: "write it as https://HOST/BUCKET/ or https://BUCKET.HOST/ with bucketInPath false")
    }
}
