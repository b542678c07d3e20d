import RawStructuredFieldValues

/// The values in structured fields (RFC 9651) that uploads need. A field of another type or form holds nothing.
package enum StructuredField {
    /// A Boolean such as `?1`, parameters left out.
    package static func boolean(_ field: String?) -> Bool? {
        guard case .bool(let value)? = item(field) else { return nil }
        return value
    }

    /// An Integer that is not negative: at most 15 digits, so nothing overflows.
    package static func count(_ field: String?) -> ByteCount? {
        guard case .integer(let value)? = item(field), value >= 0 else { return nil }
        return value
    }

    /// The members of a Dictionary with the keys; nil if the field is none, or one of them is no count.
    package static func counts(_ field: String, of keys: Set<String>) -> [String: ByteCount]? {
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
        guard let field else { return nil }
        var parser = StructuredFieldValueParser(Array(field.utf8))
        return (try? parser.parseItemFieldValue())?.rfc9651BareItem
    }
}
