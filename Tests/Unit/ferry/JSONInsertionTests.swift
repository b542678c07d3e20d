import Testing

@testable import FerryCommand

/// Tests adding members to JSON that a user wrote.
struct JSONInsertionTests {
    private func inserting(_ name: String, _ value: String, to object: [String] = [], in text: String)
        -> String?
    {
        var insertion = JSONInsertion(Array(text.utf8))
        return insertion.add(name, value, to: object) ? String(decoding: insertion.text, as: UTF8.self) : nil
    }

    @Test(arguments: [
        ("{}", "{\n  \"b\": 2\n}"),
        ("{ }\n", "{\n  \"b\": 2\n}\n"),
        (#"{ "a": 1 }"#, #"{ "a": 1, "b": 2 }"#),
        ("{\n\t\"a\": [1, {}]\n}\n", "{\n\t\"a\": [1, {}],\n\t\"b\": 2\n}\n"),
        ("{\r\n    \"a\": \"}\\\"\"\r\n}", "{\r\n    \"a\": \"}\\\"\",\n    \"b\": 2\r\n}"),
    ])
    func `a member comes last, indented as those before it`(before: String, after: String) {
        #expect(inserting("b", "2", in: before) == after)
    }

    @Test func `the object is found by its name, and not by its text elsewhere`() {
        let text = #"{ "x": "d", "y": { "d": {} }, "z": [{ "d": {} }], "\u0064": { "a": 1 } }"#
        let after = #"{ "x": "d", "y": { "d": {} }, "z": [{ "d": {} }], "\u0064": { "a": 1, "b": 2 } }"#
        #expect(inserting("b", "2", to: ["d"], in: text) == after)
    }

    @Test func `a value of several lines is indented as a whole`() {
        let after = inserting(
            "b", "{\n  \"c\": 1\n}", to: ["d"], in: "{\n    \"d\": {\n        \"a\": 1\n    }\n}")
        #expect(
            after == """
                {
                    "d": {
                        "a": 1,
                        "b": {
                          "c": 1
                        }
                    }
                }
                """)
    }

    @Test(arguments: [#"{ "d": [] }"#, #"{ "d": "{}" }"#, "{}", "[]", "", "{ \"d", "}"])
    func `text without the object is not changed`(text: String) {
        #expect(inserting("b", "2", to: ["d"], in: text) == nil)
    }
}
