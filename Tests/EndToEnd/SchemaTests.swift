import FerryTestSupport
import Foundation
import Testing

/// Tests `ferry config --schema`.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct SchemaTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private func schema() async throws -> [String: Any] {
        let result = try await place.ferry("config", "--schema")
        #expect(result.ending == .exited(0), "\(result.errors)")
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        return try #require(object as? [String: Any])
    }

    /// Returns the schema of the object at a path. A `*` in the path stands for any name.
    private func object(_ path: [String], in schema: [String: Any]) throws -> [String: Any] {
        var schema = schema
        for name in path {
            let properties = schema["properties"] as? [String: Any]
            let next = name == "*" ? schema["additionalProperties"] : properties?[name]
            schema = try #require(next as? [String: Any], "\(path)")
            if let choices = schema["anyOf"] as? [[String: Any]] {
                schema = try #require(choices.first { $0["type"] as? String == "object" })
            }
        }
        return schema
    }

    private func merged(_ value: Any, _ more: [String: Any]) -> Any {
        (value as? [String: Any] ?? [:]).merging(more) { first, _ in first }
    }

    @Test func `choices are those that ferry has`() async throws {
        let schema = try await schema()
        for (path, name) in [
            (["destinations", "*"], "protocol"), (["destinations", "*"], "ifExists"),
            (["appearance"], "theme"),
            (["retry"], "onUncertain"), ([], "whenFileChanges"), ([], "onHangUp"),
        ] {
            let properties = try #require(try object(path, in: schema)["properties"] as? [String: Any])
            let member = try #require(properties[name] as? [String: Any])
            let choices = try #require(member["enum"] as? [String])
            var inner: Any = [name: "noSuchChoice"]
            if path.last == "*" {
                inner = ["destinations": ["d": merged(inner, ["url": "https://h.example/"])]]
            } else if let outer = path.first {
                inner = [outer: inner]
            }
            try place.configure(
                String(decoding: try JSONSerialization.data(withJSONObject: inner), as: UTF8.self))
            let errors = try await place.ferry("config").errors
            for choice in choices { #expect(errors.contains(choice), "\(name): \(errors)") }
        }
    }
}
