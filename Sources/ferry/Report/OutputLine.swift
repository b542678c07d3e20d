import FerryFiles
import FerryUploads

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
    var json: String {
        JSONLine.text { json in
            Self.members.write(self, to: &json) { json in
                LineKey.event.write(to: &json)
                json.string(event)
            }
        }
    }

    static var lineSchema: Schema {
        let purpose = events.map { "\($0.key): \($0.value)" }.joined(separator: " ")
        return record([.init("event", .choice(events.map(\.key)), purpose)])
    }
}

/// A value that can be a part of a line of JSON.
protocol LineValue: Sendable {
    static var schema: Schema { get }
    func write(to json: inout JSONWriter)
}

/// A JSON object in a line. Its schema and its text both come from the table `members`.
protocol LineObject: LineValue {
    static var members: LineMembers<Self> { get }
}

extension LineObject {
    static var schema: Schema { record([]) }

    fileprivate static func record(_ first: [Schema.Member]) -> Schema {
        let (always, maybe) = (members.all.filter(\.isAlwaysThere), members.all.filter { !$0.isAlwaysThere })
        return .record(first + always.map(\.row), maybe: maybe.map(\.row))
    }

    func write(to json: inout JSONWriter) { Self.members.write(self, to: &json) }
}

/// The members of a JSON object in a line.
struct LineMembers<Object>: ExpressibleByArrayLiteral, Sendable {
    /// The members in the order of the schema.
    let all: [LineMember<Object>]
    /// The members sorted by name: those before `event` of an `OutputLine`, and those after it.
    private let sorted: (before: [LineMember<Object>], after: [LineMember<Object>])

    init(_ all: [LineMember<Object>]) {
        self.all = all
        let members = all.sorted { $0.row.name < $1.row.name }
        sorted = (members.filter { $0.row.name <= "event" }, members.filter { $0.row.name > "event" })
    }

    init(arrayLiteral members: LineMember<Object>...) { self.init(members) }

    /// Appends the JSON object, sorted by name. `event` appends the member of that name, if it is not in this table.
    fileprivate func write(
        _ object: Object, to json: inout JSONWriter, event: (inout JSONWriter) -> Void = { _ in }
    ) {
        json.raw("{")
        for member in sorted.before { member.write(object, &json) }
        event(&json)
        for member in sorted.after { member.write(object, &json) }
        json.raw("}")
    }
}

/// A member of a JSON object in a line: its description in the schema, and the function that writes it.
struct LineMember<Object>: Sendable {
    let row: Schema.Member
    let isAlwaysThere: Bool
    fileprivate let write: @Sendable (Object, inout JSONWriter) -> Void

    static func always<Value: LineValue>(
        _ name: String, _ purpose: String, as schema: Schema = Value.schema,
        _ value: @escaping @Sendable (Object) -> Value
    ) -> LineMember {
        let key = LineKey(name)
        return LineMember(row: .init(name, schema, purpose), isAlwaysThere: true) { object, json in
            key.write(to: &json)
            value(object).write(to: &json)
        }
    }

    /// Returns a member that is absent if its value is nil.
    static func maybe<Value: LineValue>(
        _ name: String, _ purpose: String, as schema: Schema = Value.schema,
        _ value: @escaping @Sendable (Object) -> Value?
    ) -> LineMember {
        let key = LineKey(name)
        return LineMember(row: .init(name, schema, purpose), isAlwaysThere: false) { object, json in
            guard let value = value(object) else { return }
            key.write(to: &json)
            value.write(to: &json)
        }
    }

    /// Returns the same member for the type `Outer`, with the value from the object that `object` returns.
    func of<Outer>(_ object: @escaping @Sendable (Outer) -> Object) -> LineMember<Outer> {
        LineMember<Outer>(row: row, isAlwaysThere: isAlwaysThere) { write(object($0), &$1) }
    }
}

/// The name of a member of a JSON object, as the text `"name":`.
private struct LineKey {
    static let event = LineKey("event")

    private let text: [UInt8]

    init(_ name: String) { text = Array("\"\(name)\":".utf8) }

    func write(to json: inout JSONWriter) {
        if json.bytes.last != UInt8(ascii: "{") { json.raw(",") }
        json.raw(text)
    }
}

extension String: LineValue {
    static var schema: Schema { .text() }
    func write(to json: inout JSONWriter) { json.string(self) }
}

extension Bool: LineValue {
    static var schema: Schema { .flag }
    func write(to json: inout JSONWriter) { json.raw(self ? "true" : "false") }
}

extension Date: LineValue {
    static var schema: Schema { .moment }
    func write(to json: inout JSONWriter) { json.string(WallTime.second(of: self)) }
}

extension Schema {
    /// A whole number of at least 1.
    static let positive = whole(1...Int.max)
}

extension FixedWidthInteger where Self: LineValue {
    static var schema: Schema { .whole(0...Int.max) }
    func write(to json: inout JSONWriter) { json.number(Int64(self)) }
}

extension Int: LineValue {}
extension Int32: LineValue {}
extension Int64: LineValue {}

extension Double: LineValue {
    static var schema: Schema { .number(0...1e12) }

    func write(to json: inout JSONWriter) {
        // Without a decimal point, as long as all digits are significant.
        if abs(self) < 1e15, let whole = Int64(exactly: self) { return json.number(whole) }
        json.double(self)
    }
}

extension Array: LineValue where Element: LineValue {
    static var schema: Schema { .array(Element.schema) }

    func write(to json: inout JSONWriter) {
        json.array(self) { $1.write(to: &$0) }
    }
}

extension Dictionary: LineValue where Key == String, Value == Int {
    /// The schema of an object with the number of uploads in each state.
    static var schema: Schema {
        .object(
            UploadRecordLine.states.map { .init($0, Value.schema, "The number of uploads in this state.") })
    }

    func write(to json: inout JSONWriter) {
        json.raw("{")
        for (name, count) in sorted(by: { $0.key < $1.key }) {
            LineKey(name).write(to: &json)
            count.write(to: &json)
        }
        json.raw("}")
    }
}

enum JSONLine {
    /// Returns the text as a JSON string, in quotes.
    static func quoted(_ text: String) -> String { self.text { $0.string(text) } }

    fileprivate static func text(_ write: (inout JSONWriter) -> Void) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        var json = JSONWriter(bytes: bytes)
        write(&json)
        return escaped(String(decoding: json.bytes, as: UTF8.self))
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
