import Foundation
import Testing

@testable import FerryProtocols

/// Tests JSON documents of any shape.
struct JSONValueTests {
    @Test func `each kind of value is read and written back`() throws {
        let text = #"{"a":[1,2.5,true,null,"x",[],{}],"b":{"c":-3}}"#
        let value = try #require(JSONValue(document: Array(text.utf8)))
        #expect(
            value
                == .object([
                    "a": .array([1, .number(2.5), true, .null, "x", .array([]), .object([:])]),
                    "b": .object(["c": -3]),
                ]))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == text)
    }

    @Test(arguments: ["", "1", "\"a\"", "null", "{", "{\"a\":}", "[1,]x", "\u{FEFF}"])
    func `anything but an object or an array is none`(text: String) {
        #expect(JSONValue(document: Array(text.utf8)) == nil)
    }
}
