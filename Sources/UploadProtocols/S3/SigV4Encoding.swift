import Crypto
import FerryFiles

/// The encoding of paths and queries for AWS Signature Version 4. The request must be sent with exactly this text.
package enum SigV4Encoding {
    /// The unreserved characters of RFC 3986 §2.3 and the slash, which the path of a URL keeps.
    static let plainInPath = PlainCharacters(alphanumericsAnd: "-._~/")

    static func encoded(_ bytes: [UInt8], keeping plain: PlainCharacters = .unreserved) -> String {
        bytes.percentEncoded { plain.contains($1) }
    }

    /// Decodes a percent-encoded text. A `%` without two hexadecimal digits after it stays unchanged.
    static func decoded(_ text: some StringProtocol) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count > 1, let high = rest[rest.startIndex].hexDigit,
                let low = rest[rest.startIndex + 1].hexDigit
            {
                decoded.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }

    /// Returns the SHA-256 of `bytes` in hexadecimal.
    package static func hash(_ bytes: [UInt8]) -> String { hex(SHA256.hash(data: bytes)) }

    static func hex(_ bytes: some Sequence<UInt8>) -> String { DigestRequest.Form.hex.text(Array(bytes)) }
}
