import FerryTestSupport
import Foundation

/// The known differences between the sent names and those that a parser reports. They are read from the matrix of the
/// vectors, if the parser is in it.
struct FormParser {
    /// The parsers' names in the matrix, by their names in `multipart_parsers.py`. The script adds `node` if it is
    /// installed. `ours` is `MultipartParser`.
    static let nameInMatrix = [
        "werkzeug": "werkzeug 3.1", "python-multipart": "python-multipart(starlette)",
        "multipart": "multipart(defnull)", "aiohttp": "aiohttp 3.14", "email": "stdlib email",
    ]
    static let python = Set(nameInMatrix.keys)

    /// The forms that a parser refuses although they follow the standards.
    static let refusals = [
        "name: \("nul\0byte".debugDescription)": [
            "aiohttp": "a header with a null, which the WHATWG's algorithm does not escape"
        ],
        FormCase.noDashes: ["node": "undici of Node 20 takes a boundary without its dashes for a delimiter"],
    ]

    let name: String
    private let matrix: [String: FormVectors.Disposition]

    init(name: String, matrix: [String: FormVectors.Disposition]) {
        self.name = name
        self.matrix = matrix
    }

    /// Returns the part as this parser should report it.
    func view(_ part: SentPart) -> ReadPart {
        let isField = part.fileName == nil || (part.fileName == "" && observed("empty").first == "field")
        return ReadPart(
            name: view(SentPart.escaped(part.name, isFieldName: true)),
            filename: isField
                ? nil : part.fileName.map { viewOfFile(SentPart.escaped($0, isFieldName: false)) },
            type: part.type, content: Data(part.content))
    }

    private func viewOfFile(_ escaped: String) -> String {
        let isWindowsPath = escaped.dropFirst().hasPrefix(":\\")
        guard isWindowsPath, observed("path-win").last == "a.txt" else { return view(escaped) }
        return escaped.split(separator: "\\").last.map(String.init) ?? ""
    }

    private func view(_ escaped: String) -> String {
        var text = escaped
        if observed("single-backslash").last == "ab.txt" {
            text = text.replacing(/\\(.)/) { String($0.1) }
        } else if observed("backslash").last == "a\\b.txt" {
            text = text.replacing("\\\\", with: "\\")
        }
        if observed("quote-%22").last == "a\"b.txt" { text = text.replacing("%22", with: "\"") }
        if observed("crlf-%0D%0A").last == "a\r\nb.txt" {
            text = text.replacing("%0D", with: "\r").replacing("%0A", with: "\n")
        }
        return text
    }

    /// The expected results of parsers that are not in the matrix. Both undo the standard's escapes. Ferry's reads two
    /// backslashes as one.
    private static let others: [String: [String: [String]]] = [
        "node": standard.merging(["backslash": ["file", "a\\\\b.txt"]]) { $1 },
        "ours": standard.merging(["backslash": ["file", "a\\b.txt"]]) { $1 },
    ]
    private static let standard = [
        "quote-%22": ["file", "a\"b.txt"], "crlf-%0D%0A": ["file", "a\r\nb.txt"],
        "single-backslash": ["file", "a\\b.txt"], "path-win": ["file", "C:\\dir\\a.txt"],
        "empty": ["file", ""],
    ]

    private func observed(_ disposition: String) -> [String] {
        guard let column = Self.nameInMatrix[name] else { return Self.others[name]?[disposition] ?? [] }
        return matrix[disposition]?.results[column] ?? []
    }
}

/// The vectors in `Tests/Unit/UploadProtocols/Vectors`. Each file says where it comes from.
enum FormVectors {
    struct Escape: Decodable {
        var input: String
        var name: String
        var filename: String
    }

    struct Disposition: Decodable {
        var disposition: String
        /// The results by parser: `file` and the file name, or `field` and the value.
        var results: [String: [String]]

        init(from decoder: any Decoder) throws {
            let members = try [String: Member](from: decoder)
            results = members.compactMapValues { if case .result(let result) = $0 { result } else { nil } }
            guard case .disposition(let text)? = members["disposition"] else {
                throw CocoaError(.coderReadCorrupt)
            }
            disposition = text
        }

        private enum Member: Decodable {
            case disposition(String)
            case result([String])

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let text = try? container.decode(String.self) {
                    self = .disposition(text)
                } else {
                    self = .result(try container.decode([String].self))
                }
            }
        }
    }

    static func escapes() throws -> [Escape] {
        struct File: Decodable { var cases: [Escape] }
        return try decode(File.self, "multipart-escape").cases
    }

    static func matrix() throws -> [String: Disposition] {
        struct File: Decodable { var cases: [String: Disposition] }
        return try decode(File.self, "multipart-parser-matrix").cases
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
        let file = Repository.root.appending(path: "Tests/Unit/UploadProtocols/Vectors/\(name).json")
        return try JSONDecoder().decode(type, from: Data(contentsOf: file))
    }
}
