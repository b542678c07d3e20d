import Testing

struct FaultTableTests {
    private static let expected = [("S", 20), ("F", 14), ("N", 16), ("P", 18), ("A", 8)].flatMap {
        (letter, count) in (1...count).map { "\(letter)\($0)" }
    }

    @Test func `the table of faults has every row of disks, files, networks, protocols and signing in`()
        throws
    {
        #expect(try FaultTable.rows().map(\.number) == Self.expected)
    }

    @Test func `every fault has a test`() throws {
        for row in try FaultTable.rows() {
            #expect(!row.tests.isEmpty, "\(row.number)")
        }
    }

    @Test func `the table names the tests that there are, and all of them`() throws {
        let tests = try FaultTable.tests()
        for row in try FaultTable.rows() {
            let there = Set(tests.filter { $0.row == row.number }.map(\.name))
            #expect(Set(row.tests) == there, "\(row.number)")
        }
    }
}
