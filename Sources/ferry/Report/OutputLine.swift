import FerryFiles
import FerryProtocols

/// A line of JSON for programs: the output of `--json` and the input of hooks. Names and units do not change.
protocol OutputLine: LineObject {
    /// The values of `event` that such a line has, with their purposes.
    static var events: KeyValuePairs<String, String> { get }
    /// The name of the line's event.
    var event: String { get }
}

extension OutputLine {
    var event: String { Self.name }
    /// The name of its first event.
    static var name: String { events[0].key }
    /// The value as one line of JSON, keys sorted, without a line break.
    var text: String { JSONLine.text(self) }

    /// The schema of the object with its member `event`. `schema` is that of the object inside another line.
    static var lineSchema: Schema {
        let purpose = events.map { "\($0.key): \($0.value)" }.joined(separator: " ")
        return record([.init("event", .choice(events.map(\.key)), purpose)])
    }
}

/// A value in lines of JSON.
protocol LineValue: Encodable, Sendable {
    static var schema: Schema { get }
}

/// An object in lines of JSON. The table of its members makes its schema and writes it.
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

/// A member of an object in lines of JSON: its row in the schema, and its value.
struct LineMember<Object>: Sendable {
    typealias Container = KeyedEncodingContainer<LineKey>

    let row: Schema.Member
    let isAlwaysThere: Bool
    fileprivate let write: @Sendable (Object, inout Container) throws -> Void

    /// Returns a member that every such object has.
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

    /// Returns the member of an object that has this one's object beside other members.
    func of<Outer>(_ object: @escaping @Sendable (Outer) -> Object) -> LineMember<Outer> {
        LineMember<Outer>(row: row, isAlwaysThere: isAlwaysThere) { try write(object($0), &$1) }
    }
}

/// The name of a member in lines of JSON.
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
    /// The schema of the number of uploads in each state.
    static var schema: Schema {
        .object(UploadRecordLine.states.map { .init($0, Value.schema, "How many.") })
    }
}

enum JSONLine {
    private struct Whole<Line: OutputLine>: Encodable {
        let line: Line

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: LineKey.self)
            try container.encode(line.event, forKey: LineKey(stringValue: "event"))
            try line.encode(to: encoder)
        }
    }

    static func text(_ line: some OutputLine) -> String { encoded(Whole(line: line)) }

    /// Returns a text as a value of JSON.
    static func quoted(_ text: String) -> String { encoded(text) }

    private static func encoded(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        guard let data = try? encoder.encode(value) else { return "{}" }
        return escaped(String(decoding: data, as: UTF8.self))
    }

    /// Escapes characters beyond U+001F that JSON allows and a terminal interprets.
    static func escaped(_ json: String, but harmless: Unicode.Scalar? = nil) -> String {
        var out = ""
        for scalar in json.unicodeScalars {
            if scalar != harmless, SafeLine.needsEscape(scalar) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                out.unicodeScalars.append(scalar)
            }
        }
        return out
    }
}
