import Foundation

@testable import FerryCommand

/// The reference of the configuration's keys in Manual/configuration.md, with a row for each key.
struct ConfigurationReference {
    private var rows: [String] = []
    /// The keys whose objects have a description already, by the names of the objects' members.
    private var described: [[String]: String] = [:]

    init(_ schema: Schema) { describe(schema, at: "") }

    var text: String {
        (["| key | value | meaning |", "| --- | --- | --- |"] + rows).joined(separator: "\n")
    }

    private mutating func describe(_ object: Schema, at path: String) {
        for member in object.members {
            let key = path + member.name
            let (inner, below) = Self.inner(member.schema, key)
            let names = inner.members.map(\.name)
            let earlier = names.isEmpty ? nil : described[names]
            let value = earlier.map { "as `\($0)`" } ?? Self.value(member.schema)
            let more = [
                object.required.contains(member.name) ? "Required." : nil,
                member.missing.map { "Default: `\($0)`." },
            ]
            let meaning = ([member.purpose] + more.compactMap(\.self)).joined(separator: " ")
            rows.append("| `\(key)` | \(value) | \(meaning) |")
            guard earlier == nil, !names.isEmpty else { continue }
            described[names] = key
            describe(inner, at: below + ".")
        }
    }

    /// Returns the schema of a list's elements or of an object's values, and its key.
    private static func inner(_ schema: Schema, _ key: String) -> (Schema, String) {
        switch schema {
        case .dictionary(let value, _): (value, key + ".*")
        case .array(let element, _): (element, key + "[]")
        default: (schema, key)
        }
    }

    private static func value(_ schema: Schema) -> String {
        switch schema {
        case .object, .dictionary: return "object"
        case .array, .list: return "list"
        case .text, .moment: return "text"
        case .choice(let names): return names.map { "`\($0)`" }.joined(separator: ", ")
        case .whole(let range):
            return range.upperBound == .max
                ? "whole number" : "\(range.lowerBound) to \(range.upperBound), whole"
        case .number(let range):
            return range.upperBound > 1e9 ? "number" : "\(range.lowerBound) to \(Int(range.upperBound))"
        case .flag: return "true or false"
        case .any(let schemas):
            return schemas.map(value).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
                .joined(separator: " or ")
        }
    }
}

extension Schema {
    /// The names of the required members.
    var required: [String] {
        switch self {
        case .object(_, let names): names
        case .any(let schemas): schemas.flatMap(\.required)
        default: []
        }
    }
}
