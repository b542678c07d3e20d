import FerryProtocols
import FerryRequests
import FerryTransfer
import HTTPTypes

/// A part as it was appended to the form.
struct SentPart {
    var name: String
    var fileName: String?
    var type: String?
    var content: [UInt8]

    /// Returns a name as the form contains it. The tests of `MultipartHeader` compare the escapes with vectors.
    static func escaped(_ name: String, isFieldName: Bool) -> String {
        let header = isFieldName ? MultipartHeader(name: name) : MultipartHeader(name: "", fileName: name)
        let start = "Content-Disposition: form-data; name=\"".utf8.count
        let skipped = isFieldName ? start : start + "\"; filename=\"".utf8.count
        return String(
            decoding: header.bytes.dropFirst(skipped).dropLast("\"\r\n\r\n".utf8.count), as: UTF8.self)
    }
}

/// A form and the parts that it was made of.
struct FormCase {
    let title: String
    private(set) var form: MultipartFormData
    private(set) var parts: [SentPart] = []

    private init(_ title: String, _ form: MultipartFormData = MultipartFormData()) {
        self.title = title
        self.form = form
    }

    private mutating func append(
        _ name: String, fileName: String? = nil, type: String? = nil, _ content: some Sequence<UInt8>,
        headers: HTTPFields = [:]
    ) {
        let content = Array(content)
        form.append(content, name: name, fileName: fileName, contentType: type, headers: headers)
        parts.append(
            SentPart(
                name: name, fileName: fileName, type: type ?? fileName.map { MediaType.ofFile(named: $0) },
                content: content))
    }

    private static func file(_ title: String, _ content: some Sequence<UInt8>) -> FormCase {
        var formCase = FormCase(title)
        formCase.append("before", "1".utf8)
        formCase.append("f", fileName: "a.bin", content)
        formCase.append("after", "2".utf8)
        return formCase
    }

    static let noDashes = "the boundary without its dashes"

    /// Returns forms with different contents and numbers of parts.
    static func shapes() throws -> [FormCase] {
        var cases = [FormCase("no part")]
        let contents: [(String, [UInt8])] = [
            ("empty", []), ("one byte", [0]), ("CR", [13]), ("LF", [10]), ("CRLF", [13, 10]),
            ("ends in CR", Array("text\r".utf8)), ("ends in LF", Array("text\n".utf8)),
            ("ends in CRLF", Array("text\r\n".utf8)), ("ends in dashes", Array("text\r\n--".utf8)),
            ("begins with an empty line", Array("\r\n\r\ntext".utf8)),
            ("every byte", Array(0...255)), ("line breaks", Array("\r\n\n\r\r\n\r\r\n\n\n".utf8)),
            ("a delimiter of another form", Array("--X\r\n\r\n--X--\r\n".utf8)),
            ("large", (0..<1_500_001).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }),
        ]
        cases += contents.map { file("file: \($0)", $1) }
        let form = MultipartFormData()
        let boundary = form.contentType.drop { $0 != "=" }.dropFirst()
        var almost = FormCase("almost the boundary", form)
        almost.append(
            "f", fileName: "a.bin", "\r\n--\(boundary.dropLast())\r\n--\(boundary.dropLast())--\r\n".utf8)
        almost.append("f", fileName: "b.bin", "\r\n-\r\n--\r\n\r\n--\(boundary.dropFirst())--\r\n".utf8)
        cases.append(almost)
        var dashless = FormCase(noDashes, form)
        dashless.append("f", fileName: "a.bin", "\(boundary)\r\n-\(boundary)--\r\n".utf8)
        cases.append(dashless)
        for (title, text) in [
            ("empty", ""), ("UTF-8", "fünf 日本 😀"), ("lines", "one\r\ntwo\r\n"), ("JSON", "{\"a\":1}"),
        ] {
            var fields = FormCase("field: \(title)")
            fields.append("k", text.utf8)
            fields.append("k", type: title == "JSON" ? "application/json" : nil, text.utf8)
            cases.append(fields)
        }
        var many = FormCase("300 parts")
        for number in 0..<300 {
            many.append("n[]", fileName: number % 2 == 0 ? nil : "\(number).txt", "\(number)".utf8)
        }
        cases.append(many)
        var headers = FormCase("own headers")
        headers.append(
            "f", fileName: "a.txt", "v".utf8, headers: [.contentLanguage: "de", .contentLocation: "/x"])
        cases.append(headers)
        for boundary in [String(repeating: "x", count: 70), "a b", "0'()+_,-./:=?"] {
            var agreed = FormCase("boundary: \(boundary)", try MultipartFormData(boundary: boundary))
            agreed.append("k", "v".utf8)
            agreed.append("f", fileName: "a.png", [1, 2, 3])
            cases.append(agreed)
        }
        return cases
    }

    /// Returns forms with each name of `multipart-escape.json`: as the name of a field, of a part with a file, and as a
    /// file name.
    static func escapes() throws -> [FormCase] {
        try FormVectors.escapes().map { escape in
            var formCase = FormCase("name: \(escape.input.debugDescription)")
            formCase.append(escape.input, "value".utf8)
            formCase.append(escape.input, fileName: escape.input, "content".utf8)
            return formCase
        }
    }

    /// Returns the cases of `multipart-parser-matrix.json` that Ferry's encoder can produce: quoted, escaped by the
    /// standard, without `filename*`.
    static func dispositions() throws -> [FormCase] {
        let names: [String: String?] = [
            "plain": "a.txt", "space": "a b.txt", "quote-%22": "a\"b.txt", "single-backslash": "a\\b.txt",
            "lf-%0A": "a\nb.txt", "crlf-%0D%0A": "a\r\nb.txt", "literal-percent": "100%25.txt",
            "utf8-raw": "fünf-日本.txt", "path-slash": "dir/a.txt", "path-dotdot": "../a.txt",
            "path-win": "C:\\\\dir\\\\a.txt", "backslash": "a\\\\b.txt", "semicolon": "a;b.txt", "empty": "",
            "nofilename": nil,
        ]
        return names.sorted { $0.key < $1.key }.map { title, name in
            var formCase = FormCase(title)
            formCase.append("f", fileName: name, "DATA".utf8)
            return formCase
        }
    }
}
