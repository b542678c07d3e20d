/// The facts that a protocol stores about an upload between attempts, in the form in the queue's files. Only the
/// protocol that wrote the facts reads them.
///
/// The form is a flat dictionary of texts, as in files of all versions. Ferry's own protocols read and write it as
/// values: see `ResumeForm`.
public struct ResumeMemory: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The facts by their keys. No value contains a secret of the configuration.
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

/// The facts that a protocol, or a shared part of protocols, stores as a value. The value has its own keys in a
/// `ResumeMemory` and leaves all others unchanged.
protocol ResumeForm: Hashable, Sendable {
    init()
    /// The keys on disk and their properties, in reading order.
    static var keys: [ResumeKey<Self>] { get }
}

/// The key of one property of a stored value.
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
    /// The stored facts of one kind.
    subscript<Form: ResumeForm>(_: Form.Type) -> Form {
        get {
            var form = Form()
            for key in Form.keys { key.read(&form, memory[key.name]) }
            return form
        }
        set { for key in Form.keys { memory[key.name] = key.write(newValue) } }
    }
}

/// A value with an optional text form in a `ResumeMemory`.
protocol ResumeValue {
    /// Reads the texts of all earlier versions; a malformed text counts as absent.
    init(stored: String?)
    /// The text; nil for no entry.
    var stored: String? { get }
}

/// A value with a text form.
protocol ResumeText {
    init?(stored: String)
    var stored: String? { get }
}

extension Optional: ResumeValue where Wrapped: ResumeText {
    init(stored: String?) { self = stored.flatMap { Wrapped(stored: $0) } }
    var stored: String? { flatMap(\.stored) }
}

/// The text form: `yes` for true, no entry for false.
extension Bool: ResumeValue {
    init(stored: String?) { self = stored != nil }
    var stored: String? { self ? "yes" : nil }
}

/// A count; zero has no entry.
extension Int: ResumeValue, ResumeText {
    init(stored: String?) { self = stored.flatMap { Int($0) } ?? 0 }
    init?(stored: String) { self.init(stored) }
    var stored: String? { self > 0 ? "\(self)" : nil }
}

/// A count of bytes, including zero.
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
