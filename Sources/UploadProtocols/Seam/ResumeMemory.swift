/// The facts that a protocol remembers of an upload between attempts, in the form in which the queue stores them. Only
/// the protocol that wrote them reads them.
///
/// The form is a flat dictionary of texts, which files of every version have. Ferry's own protocols read and write it
/// as values: see `ResumeForm`.
public struct ResumeMemory: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The facts by their keys. No value has a secret of the configuration in it.
    package var members: [String: String]

    package init(_ members: [String: String]) { self.members = members }

    public init(dictionaryLiteral elements: (String, String)...) {
        members = Dictionary(elements) { $1 }
    }

    /// The fact of this key; nil if there is none.
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

/// The facts that a protocol, or a part that protocols share, remembers as a value. The value has keys of its own in a
/// `ResumeMemory` and leaves all others alone.
protocol ResumeForm: Hashable, Sendable {
    init()
    /// The keys on disk and the properties that they stand for, in the order in which they are read.
    static var keys: [ResumeKey<Self>] { get }
}

/// The key of one property of a value that is remembered.
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
    /// The remembered facts of one kind.
    subscript<Form: ResumeForm>(_: Form.Type) -> Form {
        get {
            var form = Form()
            for key in Form.keys { key.read(&form, memory[key.name]) }
            return form
        }
        set { for key in Form.keys { memory[key.name] = key.write(newValue) } }
    }
}

/// A value that one text, or none, stands for in a `ResumeMemory`.
protocol ResumeValue {
    /// Reads what earlier versions may have written; what cannot be read counts as absent.
    init(stored: String?)
    /// The text; nil for no entry.
    var stored: String? { get }
}

/// A value that a text stands for.
protocol ResumeText {
    init?(stored: String)
    var stored: String? { get }
}

extension Optional: ResumeValue where Wrapped: ResumeText {
    init(stored: String?) { self = stored.flatMap { Wrapped(stored: $0) } }
    var stored: String? { flatMap(\.stored) }
}

/// True is `yes`, and false is no entry.
extension Bool: ResumeValue {
    init(stored: String?) { self = stored != nil }
    var stored: String? { self ? "yes" : nil }
}

/// A count; zero is no entry.
extension Int: ResumeValue, ResumeText {
    init(stored: String?) { self = stored.flatMap { Int($0) } ?? 0 }
    init?(stored: String) { self.init(stored) }
    var stored: String? { self > 0 ? "\(self)" : nil }
}

/// A count of bytes, zero included.
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
