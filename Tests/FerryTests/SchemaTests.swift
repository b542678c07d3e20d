import FerryTestSupport
import Foundation
import Testing

/// `ferry config --schema`.
@Suite(.fewAtOnce, .timeLimit(.minutes(2)))
struct SchemaTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private func schema() async throws -> [String: Any] {
        let result = try await place.ferry("config", "--schema")
        #expect(result.ending == .exited(0), "\(result.errors)")
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        return try #require(object as? [String: Any])
    }

    /// The schema of the object at a path; a `*` stands for any name, a `#` for
    /// the elements of a list.
    private func object(_ path: [String], in schema: [String: Any]) throws -> [String: Any] {
        var schema = schema
        for name in path {
            if name == "#" {
                schema = try #require(schema["items"] as? [String: Any], "\(path)")
                continue
            }
            let properties = schema["properties"] as? [String: Any]
            let next = name == "*" ? schema["additionalProperties"] : properties?[name]
            schema = try #require(next as? [String: Any], "\(path)")
            if let choices = schema["anyOf"] as? [[String: Any]] {
                schema = try #require(choices.first { $0["type"] as? String == "object" })
            }
        }
        return schema
    }

    @Test(arguments: [
        "", "limits", "retry", "timeouts", "connectivity", "appearance", "proxy", "hooks", "notify",
        "destinations.*",
        "destinations.*.auth", "destinations.*.auth.basic",
        "destinations.*.auth.bearer", "destinations.*.auth.oauth2", "destinations.*.auth.oauth2.tls",
        "destinations.*.auth.s3", "destinations.*.s3", "destinations.*.tls", "destinations.*.proxy",
        "destinations.*.link", "limits.timetable.#", "destinations.*.limits",
        "destinations.*.limits.timetable.#",
    ])
    func `every object has the members that ferry takes there, and no others`(path: String) async throws {
        let names = path.split(separator: ".").map(String.init)
        let found = try object(names, in: try await schema())
        let properties = try #require(found["properties"] as? [String: Any])
        #expect(found["additionalProperties"] as? Bool == false)
        // What ferry says of a member that nothing has names those that there are.
        let innermost: [String: Any] = ["noSuchMember": 1]
        let document = names.reversed().reduce(innermost as Any) { inner, name -> Any in
            if name == "#" { return [inner] }
            guard name != "*" else {
                return ["*": merged(inner, ["url": "https://h.example/", "protocol": "form"])]
            }
            return [name: inner]
        }
        let before: [String: Any] =
            path.hasPrefix("destinations.*.auth.oauth2.")
            ? ["tokenURL": "https://h.example/", "clientID": "a", "refreshToken": "b"] : [:]
        try place.configure(text(of: document, adding: before))
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(2))
        let listed = try #require(result.errors.firstMatch(of: /expected one of (.*), not this key/)).1
        let known = Set(listed.split(separator: ", ").map(String.init))
        #expect(Set(properties.keys).subtracting(["$schema"]) == known)
    }

    private func merged(_ value: Any, _ more: [String: Any]) -> Any {
        (value as? [String: Any] ?? [:]).merging(more) { first, _ in first }
    }

    /// - Parameter more: Members of `oauth2`, which asks for them before it looks into its `tls`.
    private func text(of document: Any, adding more: [String: Any]) throws -> String {
        func walk(_ value: Any, _ name: String) -> Any {
            if let list = value as? [Any] { return list.map { walk($0, name) } }
            guard var object = value as? [String: Any] else { return value }
            for (key, inner) in object { object[key] = walk(inner, key) }
            return name == "oauth2" ? merged(object, more) : object
        }
        return String(decoding: try JSONSerialization.data(withJSONObject: walk(document, "")), as: UTF8.self)
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
            try place.configure(try text(of: inner, adding: [:]))
            let errors = try await place.ferry("config").errors
            for choice in choices { #expect(errors.contains(choice), "\(name): \(errors)") }
        }
    }
}
