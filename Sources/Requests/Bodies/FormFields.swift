import FerryFiles

/// The fields of a URL-encoded form or of a query, in sequence, from a dictionary literal: `["album": "May", "tags":
/// ["raw", "unsorted"], "draft": true, "note": nil]`. An array becomes one field named `tags[]` for each element, a
/// boolean 1 or 0. A field whose value is nil is omitted.
public struct FormFields: ExpressibleByDictionaryLiteral, Hashable, Sendable {
    /// The content of one form field.
    public enum Value: Hashable, Sendable {
        case text(String)
        case list([Value])
        case none
    }

    /// The rule for the names of the form fields that carry the elements of a list.
    public enum ListNaming: Hashable, Sendable {
        /// The name `tags[]` for each element of the list `tags`, as in PHP, Rails and Alamofire.
        case brackets
        /// The name `tags` for each element of the list `tags`, as in HTML forms.
        case repeated
        /// The names `tags[0]`, `tags[1]` and so on for the elements of the list `tags`.
        case indexed
    }

    /// The form fields in sequence. Several can have the same name.
    public var fields: [(name: String, value: Value)]
    /// The rule for the names of the form fields that carry the elements of a list.
    public var listNaming: ListNaming

    public init(_ fields: [(name: String, value: Value)] = [], listNaming: ListNaming = .brackets) {
        self.fields = fields
        self.listNaming = listNaming
    }

    public init(dictionaryLiteral elements: (String, Value)...) {
        self.init(elements.map { (name: $0.0, value: $0.1) })
    }

    /// The form fields as text: `name=value`, joined by `&`. All characters but ASCII letters, digits and `-._~?/` (RFC
    /// 3986 §3.4) are percent-encoded.
    public var encoded: String {
        fields.flatMap { pairs($0.name, $0.value) }
            .map { "\($0.percentEncoded(keeping: Self.plain))=\($1.percentEncoded(keeping: Self.plain))" }
            .joined(separator: "&")
    }

    private static let plain = PlainCharacters(alphanumericsAnd: "-._~?/")

    private func pairs(_ name: String, _ value: Value) -> [(name: String, value: String)] {
        switch value {
        case .none: []
        case .text(let text): [(name, text)]
        case .list(let elements):
            elements.enumerated().flatMap { index, element in
                switch listNaming {
                case .brackets: pairs(name + "[]", element)
                case .repeated: pairs(name, element)
                case .indexed: pairs("\(name)[\(index)]", element)
                }
            }
        }
    }

    public static func == (first: FormFields, second: FormFields) -> Bool {
        first.listNaming == second.listNaming
            && first.fields.elementsEqual(second.fields) { $0.name == $1.name && $0.value == $1.value }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(listNaming)
        for field in fields {
            hasher.combine(field.name)
            hasher.combine(field.value)
        }
    }
}

extension FormFields.Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
    ExpressibleByNilLiteral, ExpressibleByStringInterpolation
{
    public init(stringLiteral value: String) { self = .text(value) }
    public init(integerLiteral value: Int) { self = .text("\(value)") }
    public init(floatLiteral value: Double) { self = .text("\(value)") }
    public init(booleanLiteral value: Bool) { self = .text(value ? "1" : "0") }
    public init(arrayLiteral elements: FormFields.Value...) { self = .list(elements) }
    public init(nilLiteral: ()) { self = .none }

    /// Creates a text with the description of `value`; a boolean becomes 1 or 0.
    public init(_ value: some CustomStringConvertible) {
        self = .text((value as? Bool).map { $0 ? "1" : "0" } ?? value.description)
    }
}
