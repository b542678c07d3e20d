import FerryTestSupport
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

struct SentCountTests {
    private static func info(sent: UInt64?, unsent: UInt64 = 0, acknowledged: UInt64 = 0) -> TCPInfo {
        TCPInfo(acknowledgedBytes: acknowledged, sentBytes: sent, unsentBytes: unsent)
    }

    @Test func `bytes that the kernel took and never sent did not leave this machine`() {
        var count = SentCount()
        count.took(900, Self.info(sent: 1000, unsent: 400))
        #expect(count.difference == -400)
        count.update(Self.info(sent: 1300))
        #expect(count.difference == -100)
    }

    @Test func `bytes that left of an incomplete write are counted`() {
        var count = SentCount()
        count.took(900, Self.info(sent: 1000))
        count.update(Self.info(sent: 1250))
        #expect(count.difference == 250)
    }

    @Test func `no difference is reported without a completed write or the kernel's count`() {
        var count = SentCount()
        count.update(Self.info(sent: 1000))
        #expect(count.difference == nil)
        count.took(900, Self.info(sent: nil, unsent: 5))
        #expect(count.difference == nil)
    }

    @Test func `bytes that wait in the kernel are sent after a close, unless the connection is dead`() {
        var info = Self.info(sent: 1000, unsent: 400)
        var count = SentCount()
        count.took(900, info)
        var closed = count
        closed.close(info)
        #expect(closed.difference == nil)
        info.isEstablished = false
        count.close(info)
        #expect(count.difference == -400)
    }

    @Test func `bytes of the body that the kernel holds or that are under way are not acknowledged`() {
        var count = SentCount()
        count.took(900, Self.info(sent: 600, unsent: 400, acknowledged: 500))
        #expect(count.acknowledgedBody == 400)
        count.update(Self.info(sent: 1000, acknowledged: 1000))
        #expect(count.acknowledgedBody == 900)
    }

    @Test func `acknowledged bytes of an incomplete write count, but for what encryption adds`() {
        var count = SentCount()
        count.took(900, Self.info(sent: 1000, acknowledged: 1000))
        count.update(Self.info(sent: 1400, acknowledged: 1300))
        #expect(count.acknowledgedBody == 900 + 297)
        count.took(500, Self.info(sent: 1500, acknowledged: 1300))
        #expect(count.acknowledgedBody == 1200)
    }

    @Test func `acknowledged bytes of the first write count, but for the head of the request`() {
        var count = SentCount()
        count.begin(Self.info(sent: 5000))
        let head = UInt64(RequestHead.longest)
        count.update(Self.info(sent: 300_000, acknowledged: 5000 + head))
        #expect(count.acknowledgedBody == 0)
        count.update(Self.info(sent: 300_000, acknowledged: 105_000 + head))
        #expect(count.acknowledgedBody == 99_000)
        count.took(400_000, Self.info(sent: 300_000, unsent: 106_000, acknowledged: 300_000))
        #expect(count.acknowledgedBody == 294_000)
    }

    @Test func `without the kernel's count, the bytes of completed writes are acknowledged`() {
        var count = SentCount()
        count.took(900, Self.info(sent: nil))
        count.took(100, Self.info(sent: nil))
        #expect(count.acknowledgedBody == 1000)
    }

    #if os(Linux)
        @Test func `a connection that is reset reports no bytes that the kernel still had`() async throws {
            let room: Int32 = 65_536
            let size = 1_100_000
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
            // The kernel accepts about 980,000 bytes before the last ones, and the server's receive buffer is small.
            let delegate = RecordingDelegate()
            let file = try TestFile(count: size)
            let body = try file.body(beforeLastBytes: { isFull.open() })
            let result = try await withTransport { transport in
                await transport.outcome(
                    of: TransportRequest(method: .put, url: server.url(), body: body), delegate: delegate)
            }
            #expect(result.error?.reason == .broken)
            let reported = delegate.calls.reduce(ByteCount(0)) { most, call in
                if case .sent(_, let total, _) = call { max(most, total) } else { most }
            }
            #expect(reported <= ByteCount(room * 3), "\(reported)")
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
