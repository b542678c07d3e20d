import Testing

struct FaultTableTests {
    private static let expected = (1...20).map { "S\($0)" } + (1...14).map { "F\($0)" }

    @Test func `the table of faults has every row of processes, disks, states and files`() throws {
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
