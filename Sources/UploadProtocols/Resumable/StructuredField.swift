import RawStructuredFieldValues

/// The parsers of structured header fields (RFC 9651). A field of another type or a malformed field counts as absent. A
/// field of more than `longest` bytes counts as malformed: the parser takes quadratic time for many parameters,
/// half a second for 70 KB.
package enum StructuredField {
    /// The maximum length of a field in bytes.
    package static let longest = 1 << 10

    /// Returns the value of a Boolean such as `?1`; nil for any other field. Parameters are ignored.
    package static func boolean(_ field: String?) -> Bool? {
        guard case .bool(let value)? = item(field) else { return nil }
        return value
    }

    /// Returns the value of a non-negative Integer, which has at most 15 digits; nil for any other field.
    package static func count(_ field: String?) -> ByteCount? {
        guard case .integer(let value)? = item(field), value >= 0 else { return nil }
        return value
    }

    /// Returns the Dictionary's members under `keys`; nil if it is none, or if a member is no non-negative Integer.
    package static func counts(_ field: String, of keys: Set<String>) -> [String: ByteCount]? {
        guard field.utf8.count <= longest else { return nil }
        var parser = StructuredFieldValueParser(Array(field.utf8))
        guard let members = try? parser.parseDictionaryFieldValue() else { return nil }
        var counts: [String: ByteCount] = [:]
        for (key, member) in members where keys.contains(key) {
            guard case .item(let item) = member, case .integer(let value) = item.rfc9651BareItem, value >= 0
            else { return nil }
            counts[key] = value
        }
        return counts
    }

    private static func item(_ field: String?) -> RFC9651BareItem? {
        guard let field, field.utf8.count <= longest else { return nil }
        var parser = StructuredFieldValueParser(Array(field.utf8))
        return (try? parser.parseItemFieldValue())?.rfc9651BareItem
    }
}
