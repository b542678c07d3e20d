import FerryProtocols
import FerryRequests
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

/// Tests forms of all kinds with real parsers.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct MultipartParserTests {
    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `every parser reads back the parts that were appended`() async throws {
        let cases = try FormCase.shapes() + FormCase.escapes() + FormCase.dispositions()
        let readings = try await ParserRun.readings(of: cases)
        #expect(Set(readings.parsers.keys).isSuperset(of: FormParser.python))
        print("Parsers of forms: \(readings.parsers.map { "\($0) \($1)" }.sorted().joined(separator: ", "))")
        let matrix = try FormVectors.matrix()
        for (formCase, results) in zip(cases, readings.results) {
            for (name, reading) in results {
                let parser = FormParser(name: name, matrix: matrix)
                guard case .parts(let parts) = reading else {
                    #expect(FormParser.refusals[formCase.title]?[name] != nil, "\(name): \(reading)")
                    continue
                }
                let expected = formCase.parts.map(parser.view)
                #expect(parts.count == expected.count, "\(name), \(formCase.title)")
                for (part, expected) in zip(parts, expected) where !expected.matches(part) {
                    Issue.record("\(name), \(formCase.title): \(part.short) instead of \(expected.short)")
                }
            }
        }
    }

    @Test func `our own parser reads back the parts that were appended`() async throws {
        let parser = FormParser(name: "ours", matrix: [:])
        for formCase in try FormCase.shapes() + FormCase.escapes() + FormCase.dispositions() {
            let parts = try ReadPart.all(
                of: try await formCase.form.encode(), type: formCase.form.contentType)
            let expected = formCase.parts.map(parser.view)
            #expect(parts.count == expected.count, "\(formCase.title)")
            for (part, expected) in zip(parts, expected) {
                #expect(expected.matches(part), "\(formCase.title): \(part.short), not \(expected.short)")
            }
        }
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `every parser makes of a disposition what the matrix says`() async throws {
        let cases = try FormCase.dispositions()
        let matrix = try FormVectors.matrix()
        let readings = try await ParserRun.readings(of: cases)
        for (formCase, results) in zip(cases, readings.results) {
            let observed = try #require(matrix[formCase.title])
            for parser in FormParser.python {
                let outcome = try #require(observed.results[FormParser.nameInMatrix[parser] ?? ""])
                guard case .parts(let parts)? = results[parser], let part = parts.first else {
                    Issue.record("\(parser), \(formCase.title): \(String(describing: results[parser]))")
                    continue
                }
                let made =
                    part.filename.map { ["file", $0] } ?? [
                        "field", String(decoding: part.content, as: UTF8.self),
                    ]
                #expect(made == outcome, "\(parser), \(formCase.title)")
            }
        }
    }
}

/// A part as a parser reports it.
struct ReadPart: Decodable {
    var name: String
    var filename: String?
    var type: String?
    var content: Data

    /// Reads all parts with `MultipartParser`.
    static func all(of body: [UInt8], type: String) throws -> [ReadPart] {
        var parser = try MultipartParser(contentType: type)
        var parts: [ReadPart] = []
        for event in try parser.parse(body) {
            switch event {
            case .partBegan(let part):
                parts.append(
                    ReadPart(
                        name: part.name, filename: part.filename, type: part.contentType, content: Data()))
            case .content(let bytes): parts[parts.count - 1].content += bytes
            case .partEnded: break
            }
        }
        try parser.finish()
        return parts
    }

    var short: String {
        "\(name.debugDescription) \(filename?.debugDescription ?? "field") \(type ?? "-") "
            + "\(content.count) bytes \(content.prefix(20).map { String($0, radix: 16) })"
    }

    func matches(_ other: ReadPart) -> Bool {
        Array(name.utf8) == Array(other.name.utf8)
            && filename.map { Array($0.utf8) } == other.filename.map { Array($0.utf8) }
            && content == other.content && (other.type == nil || type == other.type)
    }
}

/// The output of `multipart_parsers.py`.
struct ParserRun: Decodable {
    enum Reading: Decodable {
        case parts([ReadPart])
        case error(String)

        init(from decoder: any Decoder) throws {
            if let parts = try? [ReadPart](from: decoder) {
                self = .parts(parts)
            } else {
                self = .error(try [String: String](from: decoder)["error"] ?? "unreadable")
            }
        }
    }

    /// The version of each parser.
    var parsers: [String: String]
    var results: [[String: Reading]]

    static func readings(of cases: [FormCase]) async throws -> ParserRun {
        let directory = try TemporaryDirectory()
        var list: [[String: String]] = []
        for (index, formCase) in cases.enumerated() {
            try await formCase.form.write(to: directory.path("\(index)"))
            list.append(["body": "\(index)", "type": formCase.form.contentType])
        }
        try directory.write(try JSONEncoder().encode(list), to: "cases.json")
        let script = InteropServer.script("multipart_parsers.py")
        let process = try ChildProcess(
            try #require(InteropServer.python), [script, directory.path].map { Array($0.utf8) },
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PYTHONDONTWRITEBYTECODE": "1"])
        #expect(try await process.ending() == .exited(0), "\(process.errors.text)")
        return try JSONDecoder().decode(ParserRun.self, from: Data(process.output.text.utf8))
    }
}
