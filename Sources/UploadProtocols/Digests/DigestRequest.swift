import FerryFiles
public import HTTPTypes

/// A digest that an upload attempt must compute from bytes of the file, before a request or after its response.
public struct DigestRequest: Hashable, Sendable {
    /// A way to write a digest as text.
    public enum Form: Hashable, Sendable {
        /// Two hexadecimal digits for each byte of the digest, in lower case.
        case hex
        /// Base64 with padding (RFC 4648 §4).
        case base64

        /// Returns the digest as text in this form.
        public func text(_ digest: some Collection<UInt8>) -> String {
            switch self {
            case .hex:
                let digits = HexadecimalDigits.lowercase
                let bytes = Array(digest).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
                return String(decoding: bytes, as: UTF8.self)
            case .base64: return Data(digest).base64EncodedString()
            }
        }
    }

    /// A header field of the request that contains the digest, with the text around the digest.
    public struct Carrier: Hashable, Sendable {
        /// The name of the field. The digest replaces an existing value.
        public var field: HTTPField.Name
        /// The form of the digest in the field.
        public var form: Form
        /// The text before the digest in the field's value.
        public var prefix: String
        /// The text after the digest in the field's value.
        public var suffix: String

        public init(_ field: HTTPField.Name, _ form: Form, prefix: String = "", suffix: String = "") {
            self.field = field
            self.form = form
            self.prefix = prefix
            self.suffix = suffix
        }

        /// Returns the value of the field: the digest as text, between `prefix` and `suffix`.
        public func value(_ digest: [UInt8]) -> String { prefix + form.text(digest) + suffix }
    }

    /// The algorithm of the digest.
    public var algorithm: DigestAlgorithm
    /// The offsets in the file of the bytes to digest.
    public var range: Range<ByteCount>
    /// The header field that sends the digest, which the protocol receives with the response in any case; nil for none.
    public var carrier: Carrier?

    public init(_ algorithm: DigestAlgorithm, of range: Range<ByteCount>, in carrier: Carrier? = nil) {
        self.algorithm = algorithm
        self.range = range
        self.carrier = carrier
    }
}

/// A digest of the file that an upload attempt computed for a `DigestRequest`.
public struct ComputedDigest: Hashable, Sendable {
    /// The algorithm of the digest.
    public var algorithm: DigestAlgorithm
    /// The offsets in the file of the digested bytes.
    public var range: Range<ByteCount>
    /// The bytes of the digest.
    public var bytes: [UInt8]

    public init(_ algorithm: DigestAlgorithm, of range: Range<ByteCount>, bytes: [UInt8]) {
        self.algorithm = algorithm
        self.range = range
        self.bytes = bytes
    }
}
