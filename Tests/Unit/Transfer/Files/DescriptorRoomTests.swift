import Testing

@testable import FerryFiles

/// Tests the rule by which uploads leave descriptors to the libraries below Ferry.
struct DescriptorRoomTests {
    @Test(arguments: [(1015, true), (1016, false), (.max, false)] as [(Int32, Bool)])
    func `eight descriptors of many stay free`(number: Int32, hasRoom: Bool) {
        #expect(DescriptorLimit.hasRoom(after: number, expected: 0, limit: 1024) == hasRoom)
    }

    @Test(arguments: [(41, true), (42, false)] as [(Int32, Bool)])
    func `an eighth of few descriptors stays free`(number: Int32, hasRoom: Bool) {
        #expect(DescriptorLimit.hasRoom(after: number, expected: 0, limit: 48) == hasRoom)
    }

    @Test(arguments: [(15, true), (16, false)])
    func `connections that are still to come count`(connections: Int, hasRoom: Bool) {
        #expect(DescriptorLimit.hasRoom(after: 1000, expected: connections, limit: 1024) == hasRoom)
    }

    @Test(arguments: [nil, .max] as [UInt64?])
    func `without a limit there is always room`(limit: UInt64?) {
        #expect(DescriptorLimit.hasRoom(after: .max, expected: 1000, limit: limit))
    }
}
