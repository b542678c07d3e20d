import FerryTestSupport
import Foundation
import Testing

@testable import FerryProtocols

/// Tests which texts are JSON (RFC 8259), and the position of the first error.
struct JSONWalkTests {
    private func issue(_ text: String) -> String? {
        Self.error(in: Data(text.utf8))?.text(in: text.utf8)
    }

    private static func error(in data: Data) -> MalformedJSON? {
        Array(data).withUnsafeBufferPointer(JSONWalk.error)
    }

    @Test(arguments: [
        "{}", "[]", "null", "true", "false", "0", "-0", "-1", "123.456e78", "1E+2", "1e-2", "0.5", #""""#,
        #""a""#,
        " [ ] ", "\t\r\n{ } \n", "[[[[]]]]", "[1,2 , 3]", "[null,true,false]", #"{"a":1,"b":[{}]}"#,
        #"{"":0}"#,
        #"{"a":1,"b":2}"#, #"["\"\\\/\b\f\n\r\t"]"#, #"["\u0041\uD834\uDD1E\u00e9"]"#,
        "[\"\u{7F}\u{2028}é😀\"]",
        #"["a,}", "b,]", "//", "/* , } */"]"#, #"{"a\",}":",]"}"#, "\u{FEFF}{}",
        "[-0.0e-0]", "[1 \n,\t2]",
    ])
    func `valid JSON has no issue`(text: String) {
        #expect(issue(text) == nil)
    }

    @Test(arguments: [
        "", " ", "{", "[", "[1", "[1,", #"{"a""#, #"{"a":"#, #"{"a":1"#, #""a"#, #""a\"#, #""\u00"#, "-",
        "1.", "1e", "1e+", "[nul",
    ])
    func `JSON that breaks off is reported as ending too early`(text: String) {
        #expect(issue(text)?.hasPrefix("it ends too early") == true)
    }

    @Test(
        arguments: [
            ("[1,]", "line 1, column 3: a comma before ]"),
            ("[1 , \n ]", "line 1, column 4: a comma before ]"),
            ("{\n  \"é\": 1,\n}", "line 2, column 9: a comma before }"),
            ("[,]", "line 1, column 2: invalid value"),
            ("[1,,2]", "line 1, column 4: invalid value"),
            ("[1 2]", "line 1, column 4: expected a comma or ]"),
            (#"{"a":1 "b":2}"#, "line 1, column 8: expected a comma or }"),
            ("[1}", "line 1, column 3: expected a comma or ]"),
            (#"{"a":1]"#, "line 1, column 7: expected a comma or }"),
            ("{,}", "line 1, column 2: expected a name in double quotes"),
            ("{a:1}", "line 1, column 2: expected a name in double quotes"),
            ("{'a':1}", "line 1, column 2: expected a name in double quotes"),
            ("{1:1}", "line 1, column 2: expected a name in double quotes"),
            (#"{"a" 1}"#, "line 1, column 6: expected a colon"),
            (#"{"a":,}"#, "line 1, column 6: invalid value"),
            (#"{"a"::1}"#, "line 1, column 6: invalid value"),
            (#"{"a":1,"\u0061":2}"#, #"line 1, column 8: the name "\u0061" is there twice"#),
            ("{} {}", "line 1, column 4: something follows its end"),
            ("[]]", "line 1, column 3: something follows its end"),
            ("nil", "line 1, column 1: invalid value"), ("True", "line 1, column 1: invalid value"),
            ("NaN", "line 1, column 1: invalid value"), ("[Infinity]", "line 1, column 2: invalid value"),
            ("['a']", "line 1, column 2: invalid value"), ("[+1]", "line 1, column 2: invalid value"),
            ("[.5]", "line 1, column 2: invalid value"), ("[01]", "line 1, column 3: expected a comma or ]"),
            ("[-]", "line 1, column 3: expected a digit"), ("[1.]", "line 1, column 4: expected a digit"),
            ("[1e]", "line 1, column 4: expected a digit"),
            ("[0x1]", "line 1, column 3: expected a comma or ]"),
            ("[1] // one", "line 1, column 5: something follows its end"),
            ("[ /* one */ 1]", "line 1, column 3: invalid value"),
            (
                "[\"a\nb\"]",
                "line 1, column 4: a text that does not end on its line, or has a control character in it"
            ),
            (
                #"["\x"]"#,
                "line 1, column 4: a backslash before what needs none; one that is meant is written twice"
            ),
            (#"["\u12g4"]"#, "line 1, column 7: expected four hexadecimal digits"),
            ("[\u{A0}1]", "line 1, column 2: invalid value"),
            ("[1\u{C}]", "line 1, column 3: expected a comma or ]"),
        ])
    func `an issue is reported with its position`(text: String, reported: String) {
        #expect(issue(text) == reported)
    }

    @Test(arguments: [
        ("{\n  \"a\": [1,", "it ends too early, in line 2"), ("{\n\n \n", "it ends too early, in line 1"),
        ("", "it ends too early"), ("\n \n", "it ends too early"),
    ])
    func `JSON that breaks off is reported with its last line that is not blank`(
        text: String, reported: String
    ) {
        #expect(issue(text) == reported)
    }

    @Test func `any number of lists may be open`() {
        let count = 200_000
        #expect(issue(String(repeating: "[", count: count) + String(repeating: "]", count: count)) == nil)
        #expect(issue(String(repeating: "[", count: count)) == "it ends too early, in line 1")
    }

    @Test(arguments: ["{\"a\": \"\\ud800\"}", "[\"\\udc00\\ud800\"]"])
    func `half a surrogate pair is an issue`(text: String) {
        #expect(issue(text)?.hasSuffix("half a surrogate pair") == true)
    }

    @Test func `bytes that are not UTF-8 are an issue`() {
        #expect(
            Self.error(in: Data([0x22, 0xFF, 0x22])) == MalformedJSON(position: 3, reason: "invalid UTF-8"))
    }

    @Test func `a walk knows the names of the members around it`() throws {
        let text = Array(#"{ "a": [1, { "\u0062": 2 }] }"#.utf8)
        try text.withUnsafeBufferPointer { bytes in
            var walk = JSONWalk(bytes)
            var paths: [[String?]] = []
            while let step = try walk.next() { if case .scalar = step { paths.append(walk.path) } }
            #expect(paths == [["a", nil], ["a", nil, "b"]])
        }
    }

    @Test func `a serializer's output is valid JSON, whatever its blanks`() throws {
        var random = SeededGenerator(seed: 8259)
        for _ in 0..<500 {
            let data = try JSONSerialization.data(
                withJSONObject: Self.value(depth: 0, &random),
                options: Bool.random(using: &random)
                    ? [.prettyPrinted, .fragmentsAllowed] : .fragmentsAllowed)
            #expect(Self.error(in: data) == nil, "\(String(decoding: data, as: UTF8.self))")
            // A list or object that is cut off is incomplete.
            if let first = data.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "{") {
                #expect(
                    Self.error(in: data.prefix(.random(in: 0..<data.count, using: &random)))?.kind
                        == .endsTooEarly)
            }
        }
    }

    private static func value(depth: Int, _ random: inout SeededGenerator) -> Any {
        let texts = ["", "a", "é\u{1F600}", "\"\\/\n\t", ",]}", "\u{1}\u{7F}", "[{"]
        switch Int.random(in: 0..<(depth < 4 ? 7 : 5), using: &random) {
        case 0: return texts.randomElement(using: &random) ?? ""
        case 1: return Int.random(in: -1000...1000, using: &random)
        case 2: return Double.random(in: -1e30...1e30, using: &random)
        case 3: return Bool.random(using: &random)
        case 4: return NSNull()
        case 5:
            return (0..<Int.random(in: 0...4, using: &random)).map { _ in value(depth: depth + 1, &random) }
        default:
            let names = texts.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random))
            return Dictionary(uniqueKeysWithValues: names.map { ($0, value(depth: depth + 1, &random)) })
        }
    }
}
