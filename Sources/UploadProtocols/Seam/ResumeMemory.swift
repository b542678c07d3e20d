/// The facts that a protocol stores about an upload between attempts, for itself only. The queue's files contain them
/// as a dictionary of strings. Ferry's own protocols read and write them as typed values (see `ResumeForm`).
public struct ResumeMemory: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The facts by their keys. No value contains a secret of the configuration.
    package var members: [String: String]

    package init(_ members: [String: String]) { self.members = members }

    public init(dictionaryLiteral elements: (String, String)...) { members = Dictionary(elements) { $1 } }

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

/// A type whose properties are stored in a `ResumeMemory`, each under its own key, beside other entries.
protocol ResumeForm: Hashable, Sendable {
    init()
    /// The properties that are stored, in the order of reading. A stored property, because making key paths takes long.
    static var keys: ResumeKeys<Self> { get }
}

/// The keys of a form, which are found by their names.
struct ResumeKeys<Form>: Sendable, ExpressibleByArrayLiteral {
    let all: [ResumeKey<Form>]
    private let positions: [String: Int]

    init(_ all: [ResumeKey<Form>]) {
        self.all = all
        positions = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1.name, $0) })
    }

    init(arrayLiteral keys: ResumeKey<Form>...) { self.init(keys) }

    func position(of name: String) -> Int? { positions[name] }
}

/// The key of a stored property of `Form`, with the functions that read and write the property.
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
    /// The stored facts as a value of type `Form`. Setting it changes only the entries under the keys of `Form`.
    subscript<Form: ResumeForm>(_: Form.Type) -> Form {
        get {
            var form = Form()
            // A new form has the values that missing entries stand for. A memory has few entries, a form up to 13 keys.
            for position in positions(of: Form.keys) {
                let key = Form.keys.all[position]
                key.read(&form, memory[key.name])
            }
            return form
        }
        set {
            let old = positions(of: Form.keys)
            for (position, key) in Form.keys.all.enumerated() {
                let stored = key.write(newValue)
                if stored != nil || old.contains(position) { memory[key.name] = stored }
            }
        }
    }

    /// Returns the positions of the keys that have an entry, in ascending order.
    private func positions<Form>(of keys: ResumeKeys<Form>) -> [Int] {
        memory.members.keys.compactMap(keys.position).sorted()
    }
}

protocol ResumeValue: Sendable {
    /// Makes the value; nil means no entry, and so does a malformed string, possibly of an older version of Ferry.
    init(stored: String?)
    /// The string to store; nil to store no entry.
    var stored: String? { get }
}

/// A type whose values, if present, are stored as a string. An optional of such a type is a `ResumeValue`.
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

/// A positive number is stored as decimal digits, and any other as no entry. No entry is read as zero.
extension Int: ResumeValue, ResumeText {
    init(stored: String?) { self = stored.flatMap { Int($0) } ?? 0 }
    init?(stored: String) { self.init(stored) }
    var stored: String? { self > 0 ? "\(self)" : nil }
}

/// A number of bytes, also zero, is stored as decimal digits. A negative number is not read.
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
