import FerryTestSupport
import Foundation
import Testing

@testable import FerryConnectivity

/// Tests that a released monitor leaves nothing behind.
@Suite(.timeLimit(.minutes(10)))
struct ConnectivityReleaseTests {
    /// Opens its gate when it is released.
    private final class Token: Sendable {
        let released: Gate

        init(released: Gate) {
            self.released = released
        }

        deinit {
            released.open()
        }
    }

    // LeftOut.md, item 76
    @Test func `a monitor that was started and stopped is freed`() async throws {
        let link = FakeLink(.up(generation: 0))
        weak var freed: ConnectivityMonitor?
        do {
            let monitor = ConnectivityMonitor(link)
            freed = monitor
            monitor.start { _ in }
            monitor.stop()
        }
        #expect(freed == nil)
        try await link.waitForWatchers(0)
    }

    @Test func `a monitor that is released while it listens is freed, and its listener with it`() async throws
    {
        let (link, released) = (FakeLink(.up(generation: 0)), Gate())
        weak var freed: ConnectivityMonitor?
        do {
            let (monitor, token) = (ConnectivityMonitor(link), Token(released: released))
            freed = monitor
            monitor.start { _ in _ = token }
        }
        #expect(freed == nil)
        try await released.wait()
        try await link.waitForWatchers(0)
    }

    // LeftOut.md, item 76
    @Test func `a thousand starts and stops leave no thread and no descriptor`() async throws {
        let released = Gate()
        let before = try counts()
        do {
            // Each watching thread retains the token until it has closed its descriptors.
            let token = Token(released: released)
            let monitor = ConnectivityMonitor { _ in _ = token }
            for round in 0..<1000 {
                if round.isMultiple(of: 4) {
                    let reported = Gate()
                    monitor.start { _ in reported.open() }
                    try await reported.wait()
                } else {
                    monitor.start { _ in }
                }
                monitor.stop()
            }
        }
        try await released.wait()
        // Other tests in this process may open hundreds. A leak of one in each round would be a thousand.
        let after = try counts()
        #expect(after.descriptors < before.descriptors + 800)
        #expect(after.threads < before.threads + 800)
    }

    private func counts() throws -> (descriptors: Int, threads: Int) {
        #if os(Linux)
            let count = { (folder: String) in
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count
            }
            return (try count("fd"), try count("task"))
        #else
            return (try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count, 0)
        #endif
    }
}
