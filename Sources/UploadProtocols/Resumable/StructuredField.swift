import RawStructuredFieldValues

/// The structured fields (RFC 9651) of uploads. A field of another type or form counts as absent.
package enum StructuredField {
    /// Returns a Boolean such as `?1`, without its parameters.
    package static func boolean(_ field: String?) -> Bool? {
        guard case .bool(let value)? = item(field) else { return nil }
        return value
    }

    /// Returns a non-negative Integer, which has at most 15 digits and so never overflows.
    package static func count(_ field: String?) -> ByteCount? {
        guard case .integer(let value)? = item(field), value >= 0 else { return nil }
        return value
    }

    /// Returns the members of a Dictionary with the keys; nil if the field is not one, or a member is not a count.
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
