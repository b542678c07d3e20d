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

    @Test func `every bound is in the source, number by number, and has tests that exist`() throws {
        let names = try ThreatTable.names()
        let bounds = try ThreatTable.bounds()
        #expect(bounds.count > 100)
        for bound in bounds {
            #expect(bound.tests.isEmpty != bound.isHeld, "\(bound.what)")
            for test in bound.tests { #expect(names.contains(test), "\(bound.what): \(test)") }
            #expect(bound.constants.isEmpty || bound.constants.count >= bound.numbers, "\(bound.what)")
            for constant in bound.constants {
                let path = ThreatTable.sources.appending(path: constant.file)
                let isThere = constant.isIn(try String(contentsOf: path, encoding: .utf8))
                #expect(isThere, "\(bound.what): \(constant.file) has no \(constant.text)")
            }
        }
    }

    @Test(arguments: [
        ("let limit = 30\n", true), ("(limit = 30, x)", true), ("limit = 300\nlimit = 30", true),
        ("limit = 300", false), ("limit = 30_000", false), ("limit = 30.5", false),
        ("limit = 30 * 60", false), ("limit = 30 << 10", false), ("maximumlimit = 30", false),
    ])
    func `a constant is found with its whole value alone`(source: String, isFound: Bool) {
        #expect(ThreatTable.Constant(file: "", text: "limit = 30").isIn(source) == isFound)
    }

    @Test func `every constant that is named as a limit is in a bound, or has a reason to be in none`() throws
    {
        func named(_ constants: [ThreatTable.Constant]) -> Set<[String]> {
            Set(constants.map { [$0.file, $0.name ?? $0.text] })
        }
        let bounds = named(try ThreatTable.bounds().flatMap(\.constants))
        let exceptions = named(try ThreatTable.exceptions())
        let limits = named(try ThreatTable.limits())
        #expect(limits.count > 50)
        #expect(limits.subtracting(bounds) == exceptions)
    }

    @Test func `the manual has every bound of the table`() throws {
        let page = ThreatTable.sources.appending(path: "Manual/limits.md")
        let shown = try ThreatTable.lines(of: page, columns: 2).filter { $0[0] != "what" }
        #expect(shown == (try ThreatTable.bounds().map { [$0.what, $0.limit] }))
    }
}
