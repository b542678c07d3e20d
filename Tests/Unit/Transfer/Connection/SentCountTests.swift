import FerryTestSupport
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

struct SentCountTests {
    private static func info(sent: UInt64?, unsent: UInt64 = 0) -> TCPInfo {
        TCPInfo(sentBytes: sent, unsentBytes: unsent)
    }

    @Test func `bytes that the kernel took and never sent did not leave this machine`() {
        var count = SentCount()
        count.took(Self.info(sent: 1000, unsent: 400))
        #expect(count.difference == -400)
        count.update(Self.info(sent: 1300))
        #expect(count.difference == -100)
    }

    @Test func `bytes that left of an incomplete write are counted`() {
        var count = SentCount()
        count.took(Self.info(sent: 1000))
        count.update(Self.info(sent: 1250))
        #expect(count.difference == 250)
    }

    @Test func `no difference is reported without a completed write or the kernel's count`() {
        var count = SentCount()
        count.update(Self.info(sent: 1000))
        #expect(count.difference == nil)
        count.took(Self.info(sent: nil, unsent: 5))
        #expect(count.difference == nil)
    }

    @Test func `bytes that wait in the kernel are sent after a close, unless the connection is dead`() {
        var info = Self.info(sent: 1000, unsent: 400)
        var count = SentCount()
        count.took(info)
        var closed = count
        closed.close(info)
        #expect(closed.difference == nil)
        info.isEstablished = false
        count.close(info)
        #expect(count.difference == -400)
    }

    #if os(Linux)
        @Test func `a connection that is reset reports the bytes that left this machine`() async throws {
            let room: Int32 = 65_536
            let size = 600_000
            let isFull = Gate()
            let server = try HostileServer(
                receiveBuffer: room,
                [
                    HostileBehavior { connection in
                        try connection.readHead()
                        isFull.block(upTo: .seconds(20))
                        connection.reset()
                    }
                ])
            defer { server.stop() }
            // The kernel's buffers contain much more than the server's small receive buffer.
            let delegate = RecordingDelegate { call in
                if case .sent(_, let total, _) = call, total >= 300_000 { isFull.open() }
            }
            let file = try TestFile(count: size)
            let result = try await withTransport { transport in
                await transport.outcome(
                    of: TransportRequest(method: .put, url: server.url(), body: try file.body()),
                    delegate: delegate)
            }
            #expect(result.error?.reason == .broken)
            let totals = delegate.calls.compactMap { call -> ByteCount? in
                if case .broke(let total) = call { total } else { nil }
            }
            let left = try #require(totals.first)
            #expect(totals.count == 1)
            // The kernel doubles the requested buffer size.
            #expect(left > 0 && left <= ByteCount(room * 3), "\(left)")
        }
    #endif
}
