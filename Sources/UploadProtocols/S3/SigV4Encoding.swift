import Crypto

/// The form of paths and queries in Signature Version 4: the same in the signature and on the wire.
package enum SigV4Encoding {
    /// Percent-encodes each byte that is not unreserved (RFC 3986 §2.3), in upper case.
    ///
    /// - Parameter keepsSlash: True for a path, where `/` separates segments.
    static func encoded(_ bytes: some Sequence<UInt8>, keepsSlash: Bool = false) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                text.append(byte)
            case UInt8(ascii: "/") where keepsSlash: text.append(byte)
            default: text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a percent-encoded text. A `%` that begins no escape stays.
    static func decoded(_ text: some StringProtocol) -> [UInt8] {
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = value(bytes[index + 1]), let low = value(bytes[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return decoded
    }

    /// Removes `.`, `..` and empty segments, as services other than S3 do before they check a signature (RFC 3986
    /// §5.2.4).
    static func normalized(_ path: String) -> String {
        var segments: [Substring] = []
        for segment in path.split(separator: "/") where segment != "." {
            if segment == ".." { _ = segments.popLast() } else { segments.append(segment) }
        }
        let isFolder = path.hasSuffix("/") || path.hasSuffix("/.") || path.hasSuffix("/..")
        return "/" + segments.joined(separator: "/") + (isFolder && !segments.isEmpty ? "/" : "")
    }

    /// Returns the SHA-256 in hexadecimal.
    package static func hash(_ bytes: [UInt8]) -> String { hex(SHA256.hash(data: bytes)) }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes { text += [lowerDigits[Int(byte >> 4)], lowerDigits[Int(byte & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
    private static let lowerDigits = Array("0123456789abcdef".utf8)

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
