import Foundation

/// A JSON Schema (draft 2020-12) of a value: as much of it as the configuration and the lines for programs need.
indirect enum Schema: Sendable {
    /// All members are optional but those that are required, and there are no others.
    case object([Member], required: [String] = [])
    /// Names that fit, each with the same kind of value.
    case dictionary(Schema, names: Schema = .text())
    case array(Schema, atLeast: Int = 0)
    /// A list whose first element, which must be there, is of a kind of its own.
    case list(first: Schema, others: Schema)
    case text(pattern: String? = nil)
    case choice([String])
    case whole(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    case flag
    /// A moment in UTC, whole seconds (ISO 8601).
    case moment
    case any([Schema])

    struct Member: Sendable {
        var name: String
        var schema: Schema
        var purpose: String

        init(_ name: String, _ schema: Schema, _ purpose: String) {
            self.name = name
            self.schema = schema
            self.purpose = purpose
        }
    }

    /// Members that are always there, then those that may be missing.
    static func record(_ always: [Member], maybe sometimes: [Member] = []) -> Schema {
        .object(always + sometimes, required: always.map(\.name))
    }

    static func choice<Choice: RawRepresentable<String> & CaseIterable>(_ type: Choice.Type) -> Schema {
        .choice(type.allCases.map(\.rawValue))
    }

    /// As editors read it, with the names of members sorted.
    func text(title: String) -> String { Self.text(value, title: title) }

    /// The document whose members, but for those at its head, are these.
    static func text(_ members: [String: Any], title: String) -> String {
        var members = members
        members["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        members["title"] = title
        let options: JSONSerialization.WritingOptions = [
            .prettyPrinted, .sortedKeys, .withoutEscapingSlashes,
        ]
        let data = (try? JSONSerialization.data(withJSONObject: members, options: options)) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    var value: [String: Any] {
        switch self {
        case .object(let members, let required):
            var properties: [String: Any] = [:]
            for member in members {
                properties[member.name] = member.schema.value.merging(["description": member.purpose]) { $1 }
            }
            var object: [String: Any] = [
                "type": "object", "properties": properties, "additionalProperties": false,
            ]
            if !required.isEmpty { object["required"] = required }
            return object
        case .dictionary(let schema, let names):
            return [
                "type": "object", "additionalProperties": schema.value, "propertyNames": names.value,
            ]
        case .list(let first, let others):
            return ["type": "array", "prefixItems": [first.value], "items": others.value, "minItems": 1]
        case .array(let schema, let count):
            return ["type": "array", "items": schema.value].merging(count > 0 ? ["minItems": count] : [:]) {
                $1
            }
        case .text(let pattern):
            return ["type": "string"].merging(pattern.map { ["pattern": $0] } ?? [:]) { $1 }
        case .choice(let names): return ["enum": names]
        case .whole(let range):
            return ["type": "integer", "minimum": range.lowerBound, "maximum": range.upperBound]
        case .number(let range):
            return ["type": "number", "minimum": range.lowerBound, "maximum": range.upperBound]
        case .flag: return ["type": "boolean"]
        case .moment:
            // Many validators take `format` for a remark.
            return [
                "type": "string", "format": "date-time",
                "pattern": #"^\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"#,
            ]
        case .any(let schemas): return ["anyOf": schemas.map(\.value)]
        }
    }
}
