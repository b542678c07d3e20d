extension LocalPath: Codable {
    private static let prefix = "base64:"

    /// The text form: `base64:…` if the path is not valid UTF-8 or begins with `base64:`, else the path itself.
    public var encoded: String {
        if let text = String(validating: bytes, as: UTF8.self), !text.hasPrefix(Self.prefix) { return text }
        return Self.prefix + Data(bytes).base64EncodedString()
    }

    /// Decodes the text form of a path (`encoded`); nil for invalid Base64.
    public init?(encoded: String) {
        guard encoded.hasPrefix(Self.prefix) else {
            self.init(encoded)
            return
        }
        guard let data = Data(base64Encoded: String(encoded.dropFirst(Self.prefix.count))) else { return nil }
        self.init(bytes: Array(data))
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let path = LocalPath(encoded: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "The path is not valid base64.")
        }
        self = path
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(encoded)
    }
}
