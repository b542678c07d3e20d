import FerryFiles

/// The `Upload-Metadata` field of tus 1.0: ordered, unique keys with values in Base64.
package struct TusMetadata: Hashable, Sendable {
    /// One key and its value.
    package struct Entry: Hashable, Sendable {
        /// The key: ASCII, not empty, without spaces and commas.
        package var key: String
        /// The value; empty for a key without a value.
        package var value: String

        /// - Parameter value: Any text. The header field contains its UTF-8 in Base64.
        package init(_ key: String, _ value: String = "") {
            self.key = key
            self.value = value
        }
    }

    /// The entries in the order of the header field; no key comes twice.
    package let entries: [Entry]

    /// - Returns: nil if a key is empty or repeated, or contains a space, a comma, or no printable ASCII.
    package init?(_ entries: [Entry]) {
        var keys: Set<String> = []
        for entry in entries {
            let isToken = entry.key.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x2C }
            guard !entry.key.isEmpty, isToken, keys.insert(entry.key).inserted else { return nil }
        }
        self.entries = entries
    }

    /// Parses the value of the field `Upload-Metadata`. Allows spaces after commas, because some programs send them.
    /// Returns nil if any pair is malformed or a key is repeated; a caller should accept the upload all the same.
    package init?(header: String) {
        var entries: [Entry] = []
        for element in header.split(separator: ",", omittingEmptySubsequences: false) {
            let words = element.trimmed().split(separator: " ", omittingEmptySubsequences: false)
            guard let key = words.first, words.count <= 2 else { return nil }
            guard let data = Data(base64Encoded: String(words.count == 2 ? words[1] : "")) else { return nil }
            entries.append(Entry(String(key), String(decoding: data, as: UTF8.self)))
        }
        self.init(entries)
    }

    /// The value of the field `Upload-Metadata`; nil if there are no entries.
    package var header: String? {
        guard !entries.isEmpty else { return nil }
        return entries.map { entry in
            entry.value.isEmpty ? entry.key : "\(entry.key) \(Data(entry.value.utf8).base64EncodedString())"
        }.joined(separator: ",")
    }

    /// Returns the value of the entry with this key; nil if there is no such entry.
    package subscript(key: String) -> String? { entries.first { $0.key == key }?.value }
}
