import Foundation
import Testing

struct ThreatTableTests {
    @Test func `the table of threats has every row once`() throws {
        let numbers = try ThreatTable.rows().map(\.number)
        #expect(numbers.count >= 43)
        #expect(numbers == (1...numbers.count).map { "X\($0)" })
    }

    @Test func `every threat has tests that exist, or says that it is not held`() throws {
        let names = try ThreatTable.names()
        for row in try ThreatTable.rows() {
            #expect(row.tests.isEmpty == row.figure.hasPrefix("not held"), "\(row.number)")
            for test in row.tests { #expect(names.contains(test), "\(row.number): \(test)") }
        }
    }

    @Test func `every bound is the constant in the source, and its tests exist`() throws {
        let names = try ThreatTable.names()
        let bounds = try ThreatTable.bounds()
        #expect(bounds.count > 40)
        for bound in bounds {
            for test in bound.tests { #expect(names.contains(test), "\(bound.what): \(test)") }
            guard let (file, text) = bound.constant else { continue }
            let source = try String(contentsOf: ThreatTable.sources.appending(path: file), encoding: .utf8)
            #expect(source.contains(text), "\(bound.what): \(file) has no \(text)")
        }
    }

    @Test func `the manual has every bound of the table`() throws {
        let page = ThreatTable.sources.appending(path: "Manual/limits.md")
        let shown = try ThreatTable.lines(of: page, columns: 2).filter { $0[0] != "what" }
        #expect(shown == (try ThreatTable.bounds().map { [$0.what, $0.limit] }))
    }
}
