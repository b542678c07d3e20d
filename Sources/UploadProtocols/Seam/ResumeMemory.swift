/// The facts that a protocol stores about an upload between attempts. Only the protocol that wrote the facts reads
/// them.
///
/// In the queue's files, the facts are a flat dictionary of strings, in all versions of Ferry. Ferry's own protocols
/// read and write them as typed values: see `ResumeForm`.
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

/// A type whose properties are stored as facts in a `ResumeMemory`, each under a key. Writing a value changes only
/// these keys.
protocol ResumeForm: Hashable, Sendable {
    init()
    /// The keys on disk, each with its property, in the order in which they are read.
    static var keys: [ResumeKey<Self>] { get }
}

/// The key on disk of one property of a `ResumeForm`.
struct ResumeKey<Form> {
    let name: String
    let read: (inout Form, String?) -> Void
    let write: (Form) -> String?

    init<Value: ResumeValue>(_ name: String, _ property: WritableKeyPath<Form, Value>) {
        self.name = name
        read = { $0[keyPath: property] = Value(stored: $1) }
        write = { $0[keyPath: property].stored }
    }
}

extension UploadResource {
    /// The stored facts as a value of type `Form`.
    subscript<Form: ResumeForm>(_: Form.Type) -> Form {
        get {
            var form = Form()
            for key in Form.keys { key.read(&form, memory[key.name]) }
            return form
        }
        set { for key in Form.keys { memory[key.name] = key.write(newValue) } }
    }
}

/// A type whose values are stored in a `ResumeMemory` as a string or as a missing entry.
protocol ResumeValue {
    /// Creates the value from a stored string. An older version of Ferry may have written the string. `stored` is nil
    /// if there is no entry. A malformed string gives the same value as nil.
    init(stored: String?)
    /// The string to store; nil to store no entry.
    var stored: String? { get }
}

/// A type whose values are stored as a string. An optional of this type is a `ResumeValue`.
protocol ResumeText {
    init?(stored: String)
    var stored: String? { get }
}

extension Optional: ResumeValue where Wrapped: ResumeText {
    init(stored: String?) { self = stored.flatMap { Wrapped(stored: $0) } }
    var stored: String? { flatMap(\.stored) }
}

/// The stored string: `yes` for true, no entry for false.
extension Bool: ResumeValue {
    init(stored: String?) { self = stored != nil }
    var stored: String? { self ? "yes" : nil }
}

/// The stored string of a count. Zero has no entry.
extension Int: ResumeValue, ResumeText {
    init(stored: String?) { self = stored.flatMap { Int($0) } ?? 0 }
    init?(stored: String) { self.init(stored) }
    var stored: String? { self > 0 ? "\(self)" : nil }
}

/// The stored string of a number of bytes. Zero is stored too.
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
