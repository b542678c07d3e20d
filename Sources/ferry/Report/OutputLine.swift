import FerryFiles

/// A line of JSON for programs, printed with `--json` or given to hooks. Names and units stay the same in all versions.
protocol OutputLine: LineObject {
    /// The possible values of `event`, with their meanings.
    static var events: KeyValuePairs<String, String> { get }
    var event: String { get }
}

extension OutputLine {
    var event: String { Self.name }
    /// The name of this kind of line: the first possible value of its JSON member `event`.
    static var name: String { events[0].key }
    /// The line, without a line break. Its keys are sorted. Not called `text`, because lines have members of that name.
    var json: String { JSONLine.encoded(Whole(line: self)) }

    static var lineSchema: Schema {
        let purpose = events.map { "\($0.key): \($0.value)" }.joined(separator: " ")
        return record([.init("event", .choice(events.map(\.key)), purpose)])
    }
}

private struct Whole<Line: OutputLine>: Encodable {
    let line: Line

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: LineKey.self)
        try container.encode(line.event, forKey: LineKey(stringValue: "event"))
        try line.encode(to: encoder)
    }
}

/// A value that can be a part of a line of JSON.
protocol LineValue: Encodable, Sendable {
    static var schema: Schema { get }
}

/// A JSON object in a line. Its schema and its encoding both come from the table `members`.
protocol LineObject: LineValue {
    static var members: [LineMember<Self>] { get }
}

extension LineObject {
    static var schema: Schema { record([]) }

    fileprivate static func record(_ first: [Schema.Member]) -> Schema {
        .record(
            first + members.filter(\.isAlwaysThere).map(\.row),
            maybe: members.filter { !$0.isAlwaysThere }.map(\.row))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: LineKey.self)
        for member in Self.members { try member.write(self, &container) }
    }
}

/// A member of a JSON object in a line: its description in the schema, and the function that writes its value.
struct LineMember<Object>: Sendable {
    typealias Container = KeyedEncodingContainer<LineKey>

    let row: Schema.Member
    let isAlwaysThere: Bool
    fileprivate let write: @Sendable (Object, inout Container) throws -> Void

    static func always<Value: LineValue>(
        _ name: String, _ purpose: String, as schema: Schema = Value.schema,
        _ value: @escaping @Sendable (Object) -> Value
    ) -> LineMember {
        LineMember(row: .init(name, schema, purpose), isAlwaysThere: true) {
            try $1.encode(value($0), forKey: LineKey(stringValue: name))
        }
    }

    /// Returns a member that is absent if its value is nil.
    static func maybe<Value: LineValue>(
        _ name: String, _ purpose: String, as schema: Schema = Value.schema,
        _ value: @escaping @Sendable (Object) -> Value?
    ) -> LineMember {
        LineMember(row: .init(name, schema, purpose), isAlwaysThere: false) {
            try $1.encodeIfPresent(value($0), forKey: LineKey(stringValue: name))
        }
    }

    /// Returns the same member for the type `Outer`, with the value from the object that `object` returns.
    func of<Outer>(_ object: @escaping @Sendable (Outer) -> Object) -> LineMember<Outer> {
        LineMember<Outer>(row: row, isAlwaysThere: isAlwaysThere) { try write(object($0), &$1) }
    }
}

struct LineKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension String: LineValue {
    static var schema: Schema { .text() }
}

extension Bool: LineValue {
    static var schema: Schema { .flag }
}

extension Date: LineValue {
    static var schema: Schema { .moment }
}

extension Schema {
    /// A whole number of at least 1.
    static let positive = whole(1...Int.max)
}

extension FixedWidthInteger where Self: LineValue {
    static var schema: Schema { .whole(0...Int.max) }
}

extension Int: LineValue {}
extension Int32: LineValue {}
extension Int64: LineValue {}

extension Double: LineValue {
    static var schema: Schema { .number(0...1e12) }
}

extension Array: LineValue where Element: LineValue {
    static var schema: Schema { .array(Element.schema) }
}

extension Dictionary: LineValue where Key == String, Value == Int {
    /// The schema of an object with the number of uploads in each state.
    static var schema: Schema {
        .object(
            UploadRecordLine.states.map { .init($0, Value.schema, "The number of uploads in this state.") })
    }
}

enum JSONLine {
    /// Returns the text as a JSON string, in quotes.
    static func quoted(_ text: String) -> String { encoded(text) }

    fileprivate static func encoded(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        guard let data = try? encoder.encode(value) else { return "{}" }
        return escaped(String(decoding: data, as: UTF8.self))
    }

    /// Replaces characters that a terminal interprets, except `harmless`, by JSON escapes such as `\u009b`.
    static func escaped(_ json: String, but harmless: Unicode.Scalar? = nil) -> String {
        SafeLine.escaped(json, but: harmless) { scalar in
            String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }
}
