import FerryFiles
import FerryProtocols

/// A JSON Schema (draft 2020-12): the subset that the configuration and the `--json` output need.
indirect enum Schema: Sendable {
    /// An object that has no members except the given ones. A member that is not in `required` is optional.
    case object([Member], required: [String] = [])
    /// An object with any number of members. Their values match the first schema, and their names match `names`.
    case dictionary(Schema, names: Schema = .text())
    case array(Schema, atLeast: Int = 0)
    /// A list whose first element is required and matches `first`. All other elements match `others`.
    case list(first: Schema, others: Schema)
    case text(pattern: String? = nil)
    case choice([String])
    case whole(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    case flag
    /// A moment in UTC, in whole seconds (ISO 8601).
    case moment
    case any([Schema])

    struct Member: Sendable {
        var name: String
        var schema: Schema
        var purpose: String
        /// The default value of a missing member, as JSON; nil if there is no default.
        var missing: String?
        /// The former name of the member, which Ferry still reads; nil if the name never changed.
        var formerName: String?

        init(
            _ name: String, _ schema: Schema, _ purpose: String, default missing: String? = nil,
            formerly formerName: String? = nil
        ) {
            self.name = name
            self.formerName = formerName
            self.schema = schema
            self.purpose = purpose
            self.missing = missing
        }

        /// Creates a member that is one of the values of `Choice`, by default `missing`.
        init<Choice: RawRepresentable<String> & CaseIterable>(
            _ name: String, _ missing: Choice, _ purpose: String
        ) {
            self.init(name, .choice(Choice.self), purpose, default: "\"\(missing.rawValue)\"")
        }
    }

    /// The members of an object schema, or of the first alternative of `any` that has members.
    var members: [Member] {
        switch self {
        case .object(let members, _): members
        case .any(let schemas): schemas.lazy.map(\.members).first { !$0.isEmpty } ?? []
        default: []
        }
    }

    static func record(_ always: [Member], maybe sometimes: [Member] = []) -> Schema {
        .object(always + sometimes, required: always.map(\.name))
    }

    static func choice<Choice: RawRepresentable<String> & CaseIterable>(_ type: Choice.Type) -> Schema {
        .choice(type.allCases.map(\.rawValue))
    }

    /// Returns the schema as a JSON document, in which the members of each object are sorted by name.
    func text(title: String) -> String { Self.text(value, title: title) }

    /// Returns a JSON document with these members, `$schema` and a title.
    static func text(_ members: [String: JSONValue], title: String) -> String {
        var members = members
        members["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        members["title"] = .text(title)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = (try? encoder.encode(members)) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    var value: [String: JSONValue] {
        switch self {
        case .object(let members, let required):
            var properties: [String: JSONValue] = [:]
            for member in members {
                var value = member.schema.value
                value["description"] = .text(member.purpose)
                value["default"] = member.missing.flatMap {
                    try? JSONDecoder().decode(JSONValue.self, from: Data($0.utf8))
                }
                properties[member.name] = .object(value)
                guard let formerName = member.formerName else { continue }
                value["description"] = .text("The former name of \(member.name).")
                value["deprecated"] = true
                properties[formerName] = .object(value)
            }
            var object: [String: JSONValue] = [
                "type": "object", "properties": .object(properties), "additionalProperties": false,
            ]
            if !required.isEmpty { object["required"] = .array(required.map(JSONValue.text)) }
            return object
        case .dictionary(let schema, let names):
            return [
                "type": "object", "additionalProperties": .object(schema.value),
                "propertyNames": .object(names.value),
            ]
        case .list(let first, let others):
            return [
                "type": "array", "prefixItems": .array([.object(first.value)]),
                "items": .object(others.value),
                "minItems": 1,
            ]
        case .array(let schema, let count):
            let list: [String: JSONValue] = ["type": "array", "items": .object(schema.value)]
            return count > 0 ? list.merging(["minItems": .whole(count)]) { $1 } : list
        case .text(let pattern):
            return pattern.map { ["type": "string", "pattern": .text($0)] } ?? ["type": "string"]
        case .choice(let names): return ["enum": .array(names.map(JSONValue.text))]
        case .whole(let range):
            return [
                "type": "integer", "minimum": .whole(range.lowerBound), "maximum": .whole(range.upperBound),
            ]
        case .number(let range):
            return [
                "type": "number", "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound),
            ]
        case .flag: return ["type": "boolean"]
        case .moment:
            // The pattern repeats `format`, because many validators ignore `format`.
            return [
                "type": "string", "format": "date-time",
                "pattern": #"^\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"#,
            ]
        case .any(let schemas): return ["anyOf": .array(schemas.map { .object($0.value) })]
        }
    }
}
