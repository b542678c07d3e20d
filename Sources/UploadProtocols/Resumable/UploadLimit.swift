/// The limits of a server, from `Upload-Limit` (draft-ietf-httpbis-resumable-upload). Sizes are in bytes, and nil means
/// that the server states no limit.
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

    private enum Key {
        static let maximumSize = "max-size"
        static let minimumSize = "min-size"
        static let maximumAppend = "max-append-size"
        static let minimumAppend = "min-append-size"
        static let age = "max-age"
        /// The key in `Upload-Limit` that interop versions up to 6 use instead of `max-age`.
        static let expires = "expires"

        static let all: Set<String> = [maximumSize, minimumSize, maximumAppend, minimumAppend, age]
    }

    /// Parses a value of `Upload-Limit`. Returns nil if clients must ignore the field: it is not a Dictionary, or one
    /// of the limits is not an Integer or is negative. Also nil if the field is longer than `StructuredField.longest`.
    package init?(_ field: String, version: InteropVersion = .eight) {
        let isOld = version <= .six
        let keys = isOld ? Key.all.union([Key.expires]) : Key.all
        guard let counts = StructuredField.counts(field, of: keys) else { return nil }
        self.init(
            maximumSize: counts[Key.maximumSize], minimumSize: counts[Key.minimumSize],
            maximumAppend: counts[Key.maximumAppend], minimumAppend: counts[Key.minimumAppend],
            age: counts[Key.age] ?? counts[Key.expires])
    }

    /// Returns the value of `Upload-Limit` in the form of `version`. Without limits, it is `min-size=0`.
    package func header(_ version: InteropVersion = .eight) -> String {
        let members = [
            (Key.minimumSize, minimumSize ?? 0), (Key.maximumSize, maximumSize),
            (Key.minimumAppend, minimumAppend), (Key.maximumAppend, maximumAppend),
            (version <= .six ? Key.expires : Key.age, age),
        ]
        return members.compactMap { key, value in value.map { "\(key)=\(min($0, Self.largest))" } }
            .joined(separator: ", ")
    }

    /// The largest Integer of RFC 9651 §3.3.1.
    private static let largest: ByteCount = 999_999_999_999_999

    func refusal(ofSize size: ByteCount) -> UploadFailure? {
        if let maximumSize, size > maximumSize {
            return .tooLarge(size, limit: maximumSize)
        }
        if let minimumSize, size < minimumSize {
            return .tooLarge(size, limit: minimumSize, taker: "the server takes none below")
        }
        return nil
    }

    /// Returns the number of bytes to send in the next `PATCH` request.
    ///
    /// - Parameters:
    ///   - left: The number of bytes that are still to send.
    ///   - wish: The preferred number. The server's limits take precedence.
    func appendSize(left: ByteCount, wish: ByteCount) -> ByteCount {
        var size = min(left, max(1, wish))
        if let maximumAppend, maximumAppend > 0 { size = min(size, maximumAppend) }
        if let minimumAppend, minimumAppend <= maximumAppend ?? .max { size = max(size, minimumAppend) }
        return min(left, size)
    }
}
