import Foundation
import Testing

/// The advisories in the manual, compared with the versions that `Package.swift` requires.
struct AdvisoryTests {
    private struct Advisory {
        let name: String
        let package: String
        let fixed: Version
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
            Advisory(
                name: cells[0], package: cells[1],
                fixed: try #require(Version(cells[3]), "\(cells[0]): \(cells[3])"), required: cells[4])
        }
    }

    /// The least version of each package, by name.
    private static func requirements() throws -> [String: String] {
        let manifest = ThreatTable.sources.deletingLastPathComponent().appending(path: "Package.swift")
        let text = try String(contentsOf: manifest, encoding: .utf8)
        let pattern = #/\.package\(url: "[^"]*/([^"/]+?)(?:\.git)?", from: "([0-9.]+)"\)/#
        return Dictionary(
            text.matches(of: pattern).map { (String($0.1), String($0.2)) }, uniquingKeysWith: { $1 })
    }

    @Test func `every package of the table of advisories is a dependency`() throws {
        let (advisories, requirements) = (try Self.advisories(), try Self.requirements())
        #expect(advisories.count >= 17)
        for advisory in advisories {
            #expect(requirements[advisory.package] == advisory.required, "\(advisory.name)")
        }
    }

    @Test func `every advisory is fixed in the version that the package requires`() throws {
        let requirements = try Self.requirements()
        for advisory in try Self.advisories() {
            let required = try #require(requirements[advisory.package].flatMap { Version($0) })
            #expect(advisory.fixed <= required, "\(advisory.name) is fixed in \(advisory.fixed.numbers)")
        }
    }
}
