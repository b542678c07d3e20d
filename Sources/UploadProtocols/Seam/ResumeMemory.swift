/// The facts that a protocol stores about an upload between attempts. Only the protocol that wrote the facts reads
/// them.
///
/// The queue's files contain the facts as a dictionary of strings. All versions of Ferry use this format. Ferry's own
/// protocols read and write the facts as typed values (see `ResumeForm`).
public struct ResumeMemory: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The facts by their keys. No value contains a secret of the configuration.
    package var members: [String: String]

    package init(_ members: [String: String]) { self.members = members }

    public init(dictionaryLiteral elements: (String, String)...) {
        members = Dictionary(elements) { $1 }
    }

    /// The fact under `key`; nil if there is none. Setting nil removes the fact.
    public subscript(key: String) -> String? {
        get { members[key] }
        set { members[key] = newValue }
    }
}

extension ResumeMemory: Codable {
    public init(from decoder: any Decoder) throws {
        members = try decoder.singleValueContainer().decode([String: String].self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(members)
    }
}

/// A type whose properties are stored in a `ResumeMemory`, each under its own key. If a value is written, the entries
/// under all other keys stay unchanged.
protocol ResumeForm: Hashable, Sendable {
    init()
    /// The properties that are stored, each with its key. They are read in this order. Types should implement this as a
    /// stored property, because making key paths takes long.
    static var keys: [ResumeKey<Self>] { get }
}

/// The key under which a property of the type `Form` is stored, with the functions that read and write the property.
struct ResumeKey<Form>: Sendable {
    let name: String
    let read: @Sendable (inout Form, String?) -> Void
    let write: @Sendable (Form) -> String?

    init<Value: ResumeValue>(_ name: String, _ property: any WritableKeyPath<Form, Value> & Sendable) {
        self.name = name
        read = { $0[keyPath: property] = Value(stored: $1) }
        write = { $0[keyPath: property].stored }
    }
}

extension UploadResource {
    /// The stored facts as a value of type `Form`. Setting the value changes only the entries under the keys of `Form`.
    subscript<Form: ResumeForm>(_: Form.Type) -> Form {
        get {
            var form = Form()
            guard !memory.members.isEmpty else { return form }
            // A new form has the values that missing entries stand for.
            for key in Form.keys { if let stored = memory[key.name] { key.read(&form, stored) } }
            return form
        }
        set { for key in Form.keys { memory[key.name] = key.write(newValue) } }
    }
}

/// A type whose values can be stored in a `ResumeMemory`.
protocol ResumeValue: Sendable {
    /// Creates the value from the string `stored`; this is nil if there is no entry. A malformed string is treated like
    /// a missing entry, because an older version of Ferry possibly wrote it. For `Bool`, any string means true.
    init(stored: String?)
    /// The string to store; nil to store no entry.
    var stored: String? { get }
}

/// A type whose values can be stored as a string. A value is not stored if its `stored` is nil. An optional of such a
/// type is a `ResumeValue`, so a property of that optional type can be stored in a `ResumeMemory`.
protocol ResumeText: Sendable {
    init?(stored: String)
    var stored: String? { get }
}

extension Optional: ResumeValue where Wrapped: ResumeText {
    init(stored: String?) { self = stored.flatMap { Wrapped(stored: $0) } }
    var stored: String? { flatMap(\.stored) }
}

/// True is stored as the string `yes`, and false is not stored. Any stored string is read as true.
extension Bool: ResumeValue {
    init(stored: String?) { self = stored != nil }
    var stored: String? { self ? "yes" : nil }
}

/// A positive number is stored as decimal digits. Zero and negative numbers are not stored. An `Int` property without
/// an entry is read as zero.
extension Int: ResumeValue, ResumeText {
    init(stored: String?) { self = stored.flatMap { Int($0) } ?? 0 }
    init?(stored: String) { self.init(stored) }
    var stored: String? { self > 0 ? "\(self)" : nil }
}

/// A number of bytes is stored as decimal digits. Zero is stored too. A negative number is not accepted when it is
/// read.
extension ByteCount: ResumeText {
    init?(stored: String) {
        guard let count = ByteCount(stored), count >= 0 else { return nil }
        self = count
    }
    var stored: String? { "\(self)" }
}

extension String: ResumeText {
    init?(stored: String) { self = stored }
    var stored: String? { self }
}

extension RawRepresentable where Self: ResumeText, RawValue == String {
    init?(stored: String) { self.init(rawValue: stored) }
    var stored: String? { rawValue }
}

extension DigestAlgorithm: ResumeText {}
