/// The limits of a server, from `Upload-Limit` (draft-ietf-httpbis-resumable-upload), in bytes; nil for no limit.
package struct UploadLimit: Hashable, Sendable {
    /// The maximum size of the whole file.
    package var maximumSize: ByteCount?
    /// The minimum size of the whole file.
    package var minimumSize: ByteCount?
    /// The maximum number of bytes in one `PATCH` request.
    package var maximumAppend: ByteCount?
    /// The minimum number of bytes in one `PATCH` request. The final request of an upload is allowed to have fewer.
    package var minimumAppend: ByteCount?
    /// The number of seconds for which the server keeps the upload, counted from its response.
    package var age: ByteCount?

    package init(
        maximumSize: ByteCount? = nil, minimumSize: ByteCount? = nil, maximumAppend: ByteCount? = nil,
        minimumAppend: ByteCount? = nil, age: ByteCount? = nil
    ) {
        self.maximumSize = maximumSize
        self.minimumSize = minimumSize
        self.maximumAppend = maximumAppend
        self.minimumAppend = minimumAppend
        self.age = age
    }

    private static let members:
        [(key: String, limit: any WritableKeyPath<UploadLimit, ByteCount?> & Sendable)] = [
            ("min-size", \.minimumSize), ("max-size", \.maximumSize), ("min-append-size", \.minimumAppend),
            ("max-append-size", \.maximumAppend),
        ]

    /// Parses a value of `Upload-Limit`; nil if it is not a Dictionary, is too long, or has an invalid limit.
    package init?(_ field: String, version: InteropVersion = .eight) {
        let ages = version <= .six ? ["max-age", "expires"] : ["max-age"]
        guard let counts = StructuredField.counts(field, of: Set(Self.members.map(\.key) + ages)) else {
            return nil
        }
        for (key, limit) in Self.members { self[keyPath: limit] = counts[key] }
        age = counts["max-age"] ?? counts["expires"]
    }

    /// Returns the value of `Upload-Limit` in the form of `version`. Without limits, it is `min-size=0`.
    package func header(_ version: InteropVersion = .eight) -> String {
        var limits = self
        limits.minimumSize = minimumSize ?? 0
        let members =
            Self.members.map { ($0.key, limits[keyPath: $0.limit]) }
            + [(version <= .six ? "expires" : "max-age", age)]
        return members.compactMap { key, value in value.map { "\(key)=\(min($0, Self.largest))" } }
            .joined(separator: ", ")
    }

    /// The largest Integer of RFC 9651 §3.3.1.
    private static let largest: ByteCount = 999_999_999_999_999

    func refusal(ofSize size: ByteCount) -> UploadFailure? {
        if let maximumSize, size > maximumSize { return .tooLarge(size, limit: maximumSize) }
        if let minimumSize, size < minimumSize {
            return .tooLarge(size, limit: minimumSize, taker: "the server takes none below")
        }
        return nil
    }

    /// Returns the number of bytes to send in the next request, near `wish` and within the server's limits.
    func appendSize(left: ByteCount, wish: ByteCount) -> ByteCount {
        var size = min(left, max(1, wish))
        if let maximumAppend, maximumAppend > 0 { size = min(size, maximumAppend) }
        if let minimumAppend, minimumAppend <= maximumAppend ?? .max { size = max(size, minimumAppend) }
        return min(left, size)
    }
}
