import FerryProtocols
import FerryStateSimulation
import FerryTransfer
import Testing

@testable import FerryUploads

/// Tests how many small uploads the queue runs at a host that they reach after a delay.
struct QueueGrowthTests {
    /// A queue of many small uploads, four of which share its slot. The running ones end at the same moment, and the next
    /// ones then start.
    private struct Server {
        var queue = QueueCoreTests.Driven(
            (1...4000).map { .make($0) }, concurrency: 1, smallUploadsPerSlot: 4)
        var running: [Upload.ID]

        init() { running = queue.started }

        /// Ends all running uploads after each of `rounds` delays, which `delay` computes from their number.
        mutating func end(_ rounds: Int, delay: (Int) -> Double) {
            for _ in 0..<rounds {
                queue.seconds += delay(running.count)
                let ended = running
                running = []
                for id in ended {
                    queue.end(id, .done(Receipt()))
                    let asked = queue.measuresRoundTrip
                    queue.answer()
                    running += queue.started
                    if let asked { queue.handle(.roundTrip(asked, .milliseconds(20))) }
                }
            }
        }
    }

    @Test func `at a distant host four times as many small uploads run, and a failure ends that`() {
        var server = Server()
        server.end(66) { _ in 0.02 }
        #expect(server.running.count == 8)
        server.end(120) { _ in 0.02 }
        #expect(server.running.count == 16)
        let failed = server.running.removeFirst()
        server.queue.end(failed, .failed(UploadFailure(.timedOut, "no response", status: 503)))
        server.queue.answer()
        server.end(2) { _ in 0.02 }
        #expect(server.running.count == 4)
    }

    @Test func `at a host that is busy the usual number runs`() {
        var server = Server()
        server.end(66) { 0.005 * Double($0) }
        #expect(server.running.count == 8)
        server.end(100) { 0.005 * Double($0) }
        #expect(server.running.count == 4)
    }

    @Test func `no more uploads run than the user asks for`() {
        var server = Server()
        server.end(186) { _ in 0.02 }
        #expect(server.running.count == 16)
        server.queue.handle(.transaction(.limitConcurrency(2), 1))
        server.queue.answer()
        while server.running.count > 2 {
            server.queue.end(server.running.removeFirst(), .done(Receipt()))
            server.queue.answer()
            #expect(server.queue.started.isEmpty || server.running.count < 2)
            server.running += server.queue.started
        }
        server.end(400) { _ in 0.02 }
        #expect(server.running.count == 2)
    }
}
