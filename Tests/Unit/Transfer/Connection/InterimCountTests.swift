import Testing

@testable import FerryTransfer

/// Tests the limit on interim responses (1xx).
struct InterimCountTests {
    private let count = InterimCount(written: 1000, acknowledged: 1000)

    /// Adds this number of interim responses, and returns the number of those that are allowed.
    private static func allowed(
        of number: Int, _ count: inout InterimCount, written: UInt64, acknowledged: UInt64
    ) -> Int {
        (0..<number).count { _ in
            count.add(written: written, acknowledged: acknowledged)
            return !count.isExceeded
        }
    }

    @Test func `32 interim responses without progress of the body are allowed`() {
        var count = count
        #expect(Self.allowed(of: 100, &count, written: 1000, acknowledged: 1000) == 32)
    }

    @Test(arguments: [(1, 0), (0, 1)] as [(UInt64, UInt64)])
    func `a byte that is written or acknowledged begins the count anew`(written: UInt64, acknowledged: UInt64)
    {
        var count = count
        for round: UInt64 in 1...100 {
            let allowed = Self.allowed(
                of: 32, &count, written: 1000 + round * written, acknowledged: 1000 + round * acknowledged)
            #expect(allowed == 32)
        }
        #expect(Self.allowed(of: 1, &count, written: 1000, acknowledged: 1000) == 0)
    }

    @Test func `each KiB of the body allows one more of the interim responses that are read at once`() {
        var count = count
        let moved: UInt64 = 100 << 10
        #expect(Self.allowed(of: 200, &count, written: 1000, acknowledged: 1000 + moved) == 132)
    }

    @Test func `a little progress takes nothing from what much progress allowed`() {
        var count = count
        let moved: UInt64 = 100 << 10
        #expect(Self.allowed(of: 1, &count, written: 1000, acknowledged: 1000 + moved) == 1)
        #expect(Self.allowed(of: 200, &count, written: 1000, acknowledged: 1001 + moved) == 131)
    }

    @Test func `counters that the kernel does not report, or that fall, are no progress`() {
        var count = count
        #expect(Self.allowed(of: 16, &count, written: 1000, acknowledged: 0) == 16)
        #expect(Self.allowed(of: 17, &count, written: 0, acknowledged: 1000) == 16)
    }
}
