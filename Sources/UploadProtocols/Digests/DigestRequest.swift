import FerryFiles
public import HTTPTypes

/// A digest that has to be known before a request is sent: computed by the driver, which has the file.
public struct DigestRequest: Hashable, Sendable {
    /// The form of a digest in a header field.
    public enum Form: Hashable, Sendable {
        /// Two digits a byte, lower case.
        case hex
        /// RFC 4648 §4, with padding.
        case base64

        /// The digest's bytes as text, hexadecimal digits in lower case.
        public func text(_ digest: [UInt8]) -> String {
            switch self {
            case .hex: digest.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
            case .base64: Data(digest).base64EncodedString()
            }
        }
    }

    /// A field of the request, with what stands around the digest in it.
    public struct Carrier: Hashable, Sendable {
        /// Replaced if the request has it already.
        public var field: HTTPField.Name
        /// The form of the digest.
        public var form: Form
        /// The text before the digest.
        public var prefix: String
        /// The text after the digest.
        public var suffix: String

        public init(_ field: HTTPField.Name, _ form: Form, prefix: String = "", suffix: String = "") {
            self.field = field
            self.form = form
            self.prefix = prefix
            self.suffix = suffix
        }

        /// The field's value.
        public func value(_ digest: [UInt8]) -> String { prefix + form.text(digest) + suffix }
    }

    /// The algorithm of the digest.
    public var algorithm: DigestAlgorithm
    /// The bytes of the file, counted from its start.
    public var range: Range<ByteCount>
    /// nil if only the protocol wants to know, with the answer.
    public var place: Carrier?

    public init(_ algorithm: DigestAlgorithm, of range: Range<ByteCount>, in place: Carrier? = nil) {
        self.algorithm = algorithm
        self.range = range
        self.place = place
    }
}

/// A digest computed for a request, in the order of its `digests`.
public struct ComputedDigest: Hashable, Sendable {
    /// The algorithm of the digest.
    public var algorithm: DigestAlgorithm
    /// The bytes of the file, counted from its start.
    public var range: Range<ByteCount>
    /// The digest itself; sums in network order.
    public var bytes: [UInt8]

    public init(_ algorithm: DigestAlgorithm, of range: Range<ByteCount>, bytes: [UInt8]) {
        self.algorithm = algorithm
        self.range = range
        self.bytes = bytes
    }
}
