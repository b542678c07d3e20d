import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import FerryTransfer

struct BodyWriterTests {
    @Test(.timeLimit(.minutes(10))) func `a body that was stopped is finished only when its check has ended`()
        async throws
    {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let (began, begin) = AsyncStream<Void>.makeStream()
        let (until, cancelled) = AsyncStream<Void>.makeStream()
        let hasEnded = Mutex(false)
        let body = StreamedBody(
            [.bytes([1])],
            beforeLastBytes: {
                begin.yield()
                for await _ in until {}
                hasEnded.withLock { $0 = true }
            })
        let writer = BodyWriter(body, isEncrypted: false, on: loop)
        try await loop.submit {
            writer.run { _ in loop.makeSucceededVoidFuture() }.whenComplete { _ in }
        }.get()
        for await _ in began { break }
        writer.stop()
        await writer.finish()
        #expect(hasEnded.withLock { $0 })
        cancelled.finish()
    }
}
