import Foundation

@testable import FerryCommand

extension Schema {
    /// Returns the first mismatch between the schema and a value of `JSONSerialization`; nil if there is none.
    func issue(in value: Any, at place: String = "") -> String? {
        let fits: Bool
        switch self {
        case .object(let members, let required):
            guard let object = value as? [String: Any] else { return "\(place): no object" }
            let known = Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.schema) })
            if let missing = required.first(where: { object[$0] == nil }) {
                return "\(place).\(missing): missing"
            }
            return object.lazy.compactMap { name, inner in
                let inside = "\(place).\(name)"
                return known[name].map { $0.issue(in: inner, at: inside) } ?? "\(inside): not known"
            }.first
        case .dictionary(let schema, let names):
            guard let object = value as? [String: Any] else { return "\(place): no object" }
            if let stranger = object.keys.first(where: { names.issue(in: $0) != nil }) {
                return "\(place).\(stranger): no name"
            }
            return object.lazy.compactMap { schema.issue(in: $0.value, at: "\(place).\($0.key)") }.first
        case .array(let schema, let count):
            guard let items = value as? [Any], items.count >= count else { return "\(place): no array" }
            return items.lazy.compactMap { schema.issue(in: $0, at: "\(place)[]") }.first
        case .list(let first, let others):
            guard let items = value as? [Any], let head = items.first else { return "\(place): no list" }
            return first.issue(in: head, at: "\(place)[0]")
                ?? items.dropFirst().lazy.compactMap { others.issue(in: $0, at: "\(place)[]") }.first
        case .text(let pattern):
            let text = value as? String
            fits =
                text != nil && pattern.map { text?.range(of: $0, options: .regularExpression) != nil } ?? true
        case .moment:
            fits = (value as? String).map { (try? Date($0, strategy: .iso8601)) != nil } ?? false
        case .choice(let names): fits = (value as? String).map(names.contains) ?? false
        case .flag: fits = value is Bool
        case .whole(let range): fits = (value as? Int).map(range.contains) ?? false
        case .number(let range): fits = (value as? Double).map(range.contains) ?? false
        case .any(let schemas): fits = schemas.contains { $0.issue(in: value) == nil }
        }
        return fits ? nil : "\(place): \(value) does not fit"
    }
}
