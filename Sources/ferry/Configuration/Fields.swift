import FerryFiles
import FerryProtocols
import FerryTUI

/// A reader of one JSON object in the configuration. Its errors name the key path.
struct Fields {
    private let container: KeyedDecodingContainer<FieldKey>
    private let members: [Schema.Member]

    /// Starts to read a JSON object. Throws if it has an unknown key, or both the name and former name of a member.
    init(_ decoder: any Decoder, _ table: Schema) throws {
        let members = table.members
        try self.init(decoder, known: members.map(\.name) + members.compactMap(\.formerName), members)
        for member in members {
            guard let formerName = member.formerName, keys.contains(formerName), keys.contains(member.name)
            else { continue }
            throw error(formerName, "\(member.name) alone: \(formerName) is its former name")
        }
    }

    /// Starts to read a JSON object. Throws if it has a key that `known` does not contain.
    /// - Parameter members: The members of the object's schema; empty for an object without a schema.
    init(_ decoder: any Decoder, known: [String], _ members: [Schema.Member] = []) throws {
        self.members = members
        container = try decoder.container(keyedBy: FieldKey.self)
        if let stranger = container.allKeys.first(where: { !known.contains($0.stringValue) }) {
            // `$schema` is for editors, so the message does not list it.
            let former = members.compactMap(\.formerName)
            let names = known.filter { !$0.hasPrefix("$") && !former.contains($0) }.sorted().joined(
                separator: ", ")
            let meant = Suggestions.remark(on: stranger.stringValue, among: known)
            // The suggestion comes first, because the list can be long.
            throw error(
                stranger.stringValue,
                meant.isEmpty ? "one of \(names), not this key" : "another key\(meant), one of \(names)")
        }
    }

    var keys: [String] { container.allKeys.map(\.stringValue) }

    /// Returns the key of a member in the JSON object, which can be its former name; nil if it is absent.
    private func found(_ name: String) -> FieldKey? {
        let names = [name, members.first { $0.name == name }?.formerName].compactMap { $0 }
        return names.map(FieldKey.init(stringValue:)).first(where: container.contains)
    }

    /// Returns the value of a key; nil if it is absent. Throws if the value is null or has another type.
    func value<Value: Decodable>(_ key: String, as type: Value.Type = Value.self) throws -> Value? {
        try found(key).map { try container.decode(Value.self, forKey: $0) }
    }

    /// Returns the value of a key; nil if it is absent. Throws if `isValid` does not allow it.
    /// - Parameter expected: The text that follows "expected" in the error message.
    func value<Value: Decodable>(
        _ key: String, _ expected: String, where isValid: (Value) -> Bool
    ) throws -> Value? {
        guard let value: Value = try value(key) else { return nil }
        guard isValid(value) else { throw error(key, expected) }
        return value
    }

    /// Returns the text at a key, converted by `read`, whose nil is an error; nil if the key is absent.
    func text<Value>(_ key: String, _ expected: String, _ read: (String) -> Value?) throws -> Value? {
        guard let text: String = try value(key) else { return nil }
        guard let value = read(text) else { throw error(key, expected) }
        return value
    }

    /// Returns the value of a key that must be present.
    func required<Value: Decodable>(
        _ key: String, _ expected: String, where isValid: (Value) -> Bool = { _ in true }
    ) throws -> Value {
        guard let value = try value(key, expected, where: isValid) else { throw error(key, expected) }
        return value
    }

    /// Returns true if the key is present and its value is null.
    func isNull(_ key: String) throws -> Bool {
        try found(key).map { try container.decodeNil(forKey: $0) } ?? false
    }

    /// Returns the whole number at a key; nil if it is absent. Throws if the schema does not allow it.
    func number(_ key: String) throws -> Int? {
        guard case .whole(let range)? = schema(of: key) else {
            preconditionFailure("\(key) is not a whole number in the table")
        }
        return try number(key, in: range)
    }

    /// Returns the number of seconds at a key; nil if it is absent. Throws if the schema does not allow it.
    func seconds(_ key: String) throws -> Double? {
        guard let found = found(key) else { return nil }
        guard case .number(let range)? = schema(of: key) else {
            preconditionFailure("\(key) is not a number in the table")
        }
        guard let number = try? container.decode(Double.self, forKey: found), range.contains(number) else {
            throw error(key, "seconds, from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func schema(of key: String) -> Schema? { members.first { $0.name == key }?.schema }

    func number(_ key: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let found = found(key) else { return nil }
        // Decodes a Double first: for a fraction in place of an Int, JSONDecoder calls the whole file malformed.
        guard let number = (try? container.decode(Double.self, forKey: found)).flatMap(Int.init(exactly:)),
            range.contains(number)
        else { throw error(key, "a whole number from \(range.lowerBound) to \(range.upperBound)") }
        return number
    }

    /// Returns the positive number of bytes at a key, with or without a unit such as "500K"; nil if it is absent.
    func amount(_ key: String) throws -> ByteCount? {
        guard let found = found(key) else { return nil }
        let text = try? container.decode(String.self, forKey: found)
        let number = (try? container.decode(ByteCount.self, forKey: found)) ?? text.flatMap(ByteFormat.parse)
        if let number, number > 0 { return number }
        throw error(key, "an amount of bytes such as 65536, \"500K\" or \"2M\"")
    }

    func choice<Choice: RawRepresentable & CaseIterable>(_ key: String) throws -> Choice?
    where Choice.RawValue == String {
        guard let text: String = try value(key) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            throw error(key, Self.expectation(of: Choice.allCases.map(\.rawValue), brokenBy: text))
        }
        return choice
    }

    /// Returns the text that follows "expected" about a word that is not in `names`: the names, and a similar one.
    static func expectation(of names: [String], brokenBy word: String) -> String {
        "one of \(names.joined(separator: ", "))\(Suggestions.remark(on: word, among: names))"
    }

    func error(_ key: String, _ expected: String) -> ConfigurationIssue {
        ConfigurationIssue(path: container.codingPath.names + [key], expected: expected)
    }
}

extension [any CodingKey] {
    /// The names of the members, and the indexes of list elements from 0.
    var names: [String] { map { key in key.intValue.map { "\($0)" } ?? key.stringValue } }
}

/// An error at one key of a configuration.
struct ConfigurationIssue: Error, Equatable {
    var path: [String]
    /// The text that follows "expected" in the message.
    var expected: String
}

private struct FieldKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
