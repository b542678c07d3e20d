import Testing

@testable import FerryProtocols

/// Tests the reading of a value without a check of its content.
struct JSONScannerTests {
    private static func skipped(_ text: String) throws(MalformedJSON) -> (value: String, next: UInt8) {
        return try Array(text.utf8).withUnsafeBufferPointer { bytes throws(MalformedJSON) in
            var scanner = JSONScanner(bytes)
            let range = try scanner.skipUnchecked()
            return (
                String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self), scanner.next
            )
        }
    }

    @Test(arguments: [
        "{}", "[]", #"{"a":[1,{"b":"]}"}]}"#, #"["\"]","\\"]"#, #"{"e":"\u00e9"}"#, "5", "-1.5e3", "true",
        "null",
        #""x""#,
    ])
    func `an unchecked value is skipped up to its end`(value: String) throws {
        let (skipped, next) = try Self.skipped(" " + value + ",")
        #expect(skipped == value)
        #expect(next == UInt8(ascii: ","))
    }

    @Test(arguments: ["", "]", "}", "{", #"{"a"#, #"{"a\"#, #"{"a\""#, "[[]", "nul", ",", #"{"a":1"#])
    func `a value without an end is refused`(text: String) {
        #expect(throws: MalformedJSON.self) { try Self.skipped(text) }
    }

    @Test func `deep brackets are skipped without recursion`() throws {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(try Self.skipped(deep).value == deep)
    }
}
