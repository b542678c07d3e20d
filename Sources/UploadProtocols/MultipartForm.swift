/// A multipart/form-data body around one file: what goes before the file's bytes, and what goes after.
///
/// Parameters come first, in order, one part per value, because streaming receivers and S3 policies need them before
/// the file. Byte layout by RFC 2046 §5.1.1; escaping by the WHATWG form encoding algorithm.
public struct MultipartForm: Hashable, Sendable {
    public let contentType: String
    public let prefix: [UInt8]
    public let suffix: [UInt8]

    /// - Parameter boundary: 1...70 characters that need no quoting, with at least 128 random bits, so that it need
    ///   not be searched for in the file.
    public init(
        boundary: String, parameters: [UploadItem.Parameter], fileField: String, fileName: String,
        fileType: String
    ) {
        var head = ""
        for parameter in parameters {
            head += "--\(boundary)\r\n"
            head +=
                "Content-Disposition: form-data; name=\"\(Self.escaped(fieldName: parameter.name))\"\r\n\r\n"
            head += parameter.value + "\r\n"
        }
        head += "--\(boundary)\r\n"
        head += "Content-Disposition: form-data; name=\"\(Self.escaped(fieldName: fileField))\""
        head += "; filename=\"\(Self.escaped(fileName: fileName))\"\r\n"
        head += "Content-Type: \(fileType)\r\n\r\n"
        prefix = Array(head.utf8)
        suffix = Array("\r\n--\(boundary)--\r\n".utf8)
        contentType = "multipart/form-data; boundary=\(boundary)"
    }

    /// 40 letters and digits from the system's generator: over 200 random bits.
    public static func randomBoundary() -> String {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        var generator = SystemRandomNumberGenerator()
        return String((0..<40).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] })
    }

    /// Line breaks in a field's name become CRLF first, then are escaped like the rest.
    static func escaped(fieldName: String) -> String {
        var scalars = String.UnicodeScalarView()
        var previousWasReturn = false
        for scalar in fieldName.unicodeScalars {
            switch scalar {
            case "\r": scalars.append(contentsOf: "\r\n".unicodeScalars)
            case "\n": if !previousWasReturn { scalars.append(contentsOf: "\r\n".unicodeScalars) }
            default: scalars.append(scalar)
            }
            previousWasReturn = scalar == "\r"
        }
        return escaped(fileName: String(scalars))
    }

    /// CR, LF and the double quote are percent-encoded and nothing else, so that no name can end its header.
    static func escaped(fileName: String) -> String {
        var text = ""
        for scalar in fileName.unicodeScalars {
            switch scalar {
            case "\r": text += "%0D"
            case "\n": text += "%0A"
            case "\"": text += "%22"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
