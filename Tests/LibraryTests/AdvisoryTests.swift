import Foundation
import Testing

/// Compares the advisories in the manual with the versions that `Package.swift` requires.
struct AdvisoryTests {
    private struct Advisory {
        let name: String
        let package: String
        /// The first version without the weakness; nil in a row that says that no weakness is known.
        let fixed: Version?
        let required: String
    }

    /// A version of three numbers.
    private struct Version: Comparable {
        let numbers: [Int]

        init?(_ text: String) {
            numbers = text.split(separator: ".").compactMap { Int($0) }
            guard numbers.count == 3 else { return nil }
        }

        static func < (one: Version, other: Version) -> Bool {
            one.numbers.lexicographicallyPrecedes(other.numbers)
        }
    }

    private static func advisories() throws -> [Advisory] {
        let page = ThreatTable.sources.appending(path: "Manual/security.md")
        return try ThreatTable.lines(of: page, columns: 6).filter { $0[0] != "advisory" }.map { cells in
            let fixed = Version(cells[3])
            #expect((fixed == nil) == (cells[0] == "none known"), "\(cells[0]) \(cells[1]): \(cells[3])")
            return Advisory(name: cells[0], package: cells[1], fixed: fixed, required: cells[4])
        }
    }

    /// The list of the versions that SwiftPM chose.
    private struct Resolved: Decodable {
        struct Pin: Decodable {
            struct State: Decodable {
                let version: String?
            }

            let identity: String
            let state: State
        }

        let pins: [Pin]
    }

    /// The versions that SwiftPM chose, by package; empty if `Package.resolved` does not exist.
    private static func chosen() throws -> [String: Version] {
        let file = ThreatTable.sources.deletingLastPathComponent().appending(path: "Package.resolved")
        guard let data = try? Data(contentsOf: file) else { return [:] }
        let pins = try JSONDecoder().decode(Resolved.self, from: data).pins
        return Dictionary(
            pins.compactMap { pin in
                pin.state.version.flatMap { Version($0) }.map { (pin.identity, $0) }
            }, uniquingKeysWith: { $1 })
    }

    /// The minimum version of each package, by name.
    private static func requirements() throws -> [String: String] {
        let manifest = ThreatTable.sources.deletingLastPathComponent().appending(path: "Package.swift")
        let text = try String(contentsOf: manifest, encoding: .utf8)
        let pattern = #/\.package\(url: "[^"]*/([^"/]+?)(?:\.git)?", from: "([0-9.]+)"\)/#
        return Dictionary(
            text.matches(of: pattern).map { (String($0.1), String($0.2)) }, uniquingKeysWith: { $1 })
    }

    @Test func `every package of the table of advisories is a dependency`() throws {
        let (advisories, requirements) = (try Self.advisories(), try Self.requirements())
        #expect(advisories.count >= 30)
        for advisory in advisories where requirements[advisory.package] != nil {
            #expect(requirements[advisory.package] == advisory.required, "\(advisory.name)")
        }
        let chosen = try Self.chosen()
        for advisory in advisories where !chosen.isEmpty {
            #expect(chosen[advisory.package] != nil, "\(advisory.package)")
        }
    }

    @Test func `every dependency has a row in the table of advisories`() throws {
        let packages = Set(try Self.advisories().map(\.package))
        let requirements = try Self.requirements()
        #expect(requirements.count >= 13)
        for package in Set(requirements.keys).union(try Self.chosen().keys) {
            #expect(packages.contains(package), "\(package)")
        }
    }

    @Test func `every advisory is fixed in the version that the package requires`() throws {
        let chosen = try Self.chosen()
        for advisory in try Self.advisories() {
            guard let fixed = advisory.fixed else { continue }
            let required = try #require(Version(advisory.required))
            #expect(fixed <= required, "\(advisory.name) is fixed in \(fixed.numbers)")
            if let version = chosen[advisory.package] { #expect(fixed <= version, "\(advisory.name)") }
        }
    }
}
