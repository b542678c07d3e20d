/// The parts of a request that AWS Signature Version 4 signs (Amazon S3 API reference, “Authenticating Requests: Using
/// the Authorization Header”).
package struct SigV4Request: Sendable {
    /// The method in upper case.
    package var method: String
    /// The path in the percent-encoding of the caller.
    private let path: String
    /// The parameters of the query, in the signed encoding. The value is nil for a parameter without `=`.
    private let items: [(name: String, value: String?)]
    /// All header fields to sign, in the order in which they are sent, including `Host`.
    package var fields: [(name: String, value: String)]
    /// The SHA-256 of the request's content in hexadecimal, or a keyword such as `UNSIGNED-PAYLOAD`.
    package var payload: String

    /// - Parameters:
    ///   - path: The path, percent-encoded in any way; empty means `/`.
    ///   - query: The query without `?`, percent-encoded in any way. A plus sign does not stand for a space.
    package init(
        method: String, path: String, query: String?, fields: [(name: String, value: String)], payload: String
    ) {
        self.method = method
        self.path = path.isEmpty ? "/" : path
        self.fields = fields
        self.payload = payload
        items = (query ?? "").split(separator: "&").map { item in
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { SigV4Encoding.encoded(SigV4Encoding.decoded($0)) }
            return (pair[0], pair.count == 2 ? pair[1] : nil)
        }
    }

    /// The path in the signed encoding, which the request must send.
    package var sentPath: String {
        SigV4Encoding.encoded(SigV4Encoding.decoded(path), keeping: SigV4Encoding.plainInPath)
    }

    /// The query in the signed encoding, which the request must send; nil if there is none.
    package var sentQuery: String? {
        items.isEmpty ? nil : items.map { $0.name + ($0.value.map { "=\($0)" } ?? "") }.joined(separator: "&")
    }

    private var canonicalQuery: String {
        items.map { ($0.name, $0.value ?? "") }.sorted(by: <).map { "\($0)=\($1)" }.joined(separator: "&")
    }

    /// The header fields sorted by name, with the names in lower case. The values of a repeated name are joined.
    private var canonicalFields: [(name: String, value: String)] {
        Dictionary(grouping: fields) { $0.name.lowercased() }
            .mapValues { $0.map { Self.trimmed($0.value) }.joined(separator: ",") }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The names of the signed fields, as in `Authorization`: `host;range;x-amz-date`.
    package var signedFields: String { canonicalFields.map(\.name).joined(separator: ";") }

    /// The text that is hashed for the signature.
    package var canonical: String {
        let fields = canonicalFields
        return [
            method, sentPath, canonicalQuery, fields.map { "\($0.name):\($0.value)\n" }.joined(),
            fields.map(\.name).joined(separator: ";"), payload,
        ].joined(separator: "\n")
    }

    private static func trimmed(_ value: String) -> String {
        // The values of most fields have no white space, and looking at characters takes long.
        guard value.utf8.contains(where: { $0 <= UInt8(ascii: " ") || $0 >= 0x80 }) else { return value }
        return value.split { $0 == " " || $0 == "\t" || $0.isNewline }.joined(separator: " ")
    }
}
