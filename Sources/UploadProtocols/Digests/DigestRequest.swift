import FerryFiles
public import HTTPTypes

/// A digest that an upload attempt must compute from bytes of the file. The attempt computes the digest before it sends
/// a request, or after it has received the response to that request.
public struct DigestRequest: Hashable, Sendable {
    /// A way to write a digest as text.
    public enum Form: Hashable, Sendable {
        /// The text has two hexadecimal digits for each byte of the digest, in lower case.
        case hex
        /// The text is the digest in Base64 with padding (RFC 4648 §4).
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
        /// The way in which the field contains the digest: as hexadecimal digits or as Base64.
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
    /// The range of the file's bytes from which the digest is computed, counted from the start of the file.
    public var range: Range<ByteCount>
    /// The header field in which the digest is sent; nil if the digest is not sent. In both cases, the upload protocol
    /// receives the digest together with the response.
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
    /// The range of the file's bytes from which the digest is computed, counted from the start of the file.
    public var range: Range<ByteCount>
    /// The bytes of the digest. Those of a CRC are in network order.
    public var bytes: [UInt8]

    public init(_ algorithm: DigestAlgorithm, of range: Range<ByteCount>, bytes: [UInt8]) {
        self.algorithm = algorithm
        self.range = range
        self.bytes = bytes
    }
}
