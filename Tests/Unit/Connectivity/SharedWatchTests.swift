import Testing

@testable import FerryConnectivity

struct SharedWatchTests {
    @Test(.timeLimit(.minutes(10)))
    func `a reader that is cancelled while the status changes blocks no other`() async {
        let (statuses, source) = AsyncStream.makeStream(of: ConnectivityMonitor.Status.self)
        let watch = SharedWatch(source: { statuses })
        let first = watch.read()
        for round in 0..<2000 {
            let reader = Task { for await _ in watch.read() {} }
            source.yield(.notReachable(reason: "\(round)"))
            reader.cancel()
            await reader.value
        }
        source.finish()
        var last: ConnectivityMonitor.Status?
        for await status in first { last = status }
        #expect(last == .notReachable(reason: "1999"))
    }
}
