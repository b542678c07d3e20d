import FerryTransfer
import Testing

@testable import FerryUploads

struct DestinationsTests {
    @Test func `each server gets a connection for each upload that a user may let run at once`() {
        let box = Destination(name: "box", url: "http://h/", protocolName: "put")
        let connections = Destinations([box], proxy: .none).connections
        #expect(!connections.isEmpty)
        #expect(connections.allSatisfy { $0.connectionsPerOrigin == QueueSettings.slotCounts.upperBound })
    }
}
