import FerryTestSupport
import Foundation
import Synchronization
import Testing

@testable import FerryCommand
@testable import FerryFiles

/// Tests the limits of the control socket: the time that is spent waiting for a client, and the length of a line.
@Suite(.timeLimit(.minutes(10)))
struct ControlLimitTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Runs blocking work on a thread of its own.
    private static func blocking<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: work()) }
        }
    }

    /// Makes a limit of this number of seconds, for which each call takes `step`.
    private static func time(_ seconds: Int, step: Duration) -> PeerTime {
        let now = Mutex(Duration.zero)
        return PeerTime(seconds: seconds) {
            now.withLock { now in
                now += step
                return now
            }
        }
    }

    /// Serves an engine's queue on a socket whose clients have a timeout of `timeout` seconds.
    private func withServer(
        timeout: Int = 1, time: @escaping @Sendable (Int) -> PeerTime = { PeerTime(seconds: $0) },
        _ body: (LocalPath) async throws -> Void
    ) async throws {
        let state = LocalPath(folder.path("state"))
        let engine = try await Engine.start(
            Assembly(configuration: Configuration(), state: state), monitor: nil)
        try folder.write([], to: "other/file")
        let other = LocalPath(folder.path("other"))
        let server = try ControlServer(
            queue: engine.queue, configuration: engine.configuration, folder: other, timeout: timeout,
            time: time)
        server.start()
        try await body(other)
        server.stop()
        await engine.stop()
    }

    @Test func `a client of the control socket that stands still is disconnected after its time`()
        async throws
    {
        try await withServer { folder in
            let began = ContinuousClock.now
            let line = await Self.blocking { () -> [UInt8]? in
                guard
                    let socket = LineSocket(connectingTo: ControlSocket.path(in: folder), timeout: 50)
                else { return [1] }
                var lines = IncomingLines(socket)
                return lines.next()
            }
            #expect(line == nil)
            // The client's own timeout is 50 seconds.
            #expect(ContinuousClock.now - began < .seconds(40))
        }
    }

    @Test func `a client of the control socket that asks within its time gets a response`() async throws {
        try await withServer { folder in
            let isAnswered = await Self.blocking { () -> Bool in
                if case .responded = ControlClient(folder: folder).ask(.report) { true } else { false }
            }
            #expect(isAnswered)
        }
    }

    @Test func `a client of the control socket has thirty seconds`() {
        #expect(ControlServer.timeout == 30)
    }

    @Test func `each MiB gives a client of the control socket a second more`() {
        let time = Self.time(30, step: .seconds(10))
        #expect(time.secondsLeft == 30)
        for (bytes, left) in [(5 << 20, 25), (-1, 15), (1, 5), (1, nil)] as [(Int, Int?)] {
            #expect(time.count { bytes } == bytes)
            #expect(time.secondsLeft == left)
        }
    }

    @Test func `a client of the control socket that reads a byte now and then is disconnected`() async throws
    {
        let path = LocalPath(folder.path("socket"))
        let listener = try SocketListener(path)
        defer { listener.stop() }
        let reader = Task {
            await Self.blocking { () -> Void in
                guard let socket = LineSocket(connectingTo: path, timeout: 50) else { return }
                var lines = IncomingLines(socket)
                while lines.next() != nil {}
            }
        }
        let isWritten = await Self.blocking { () -> Bool in
            guard let socket = listener.next(timeout: 50) else { return true }
            let time = Self.time(30, step: .seconds(10))
            let lines = [UInt8](repeating: 0x0A, count: 1 << 16)
            return (0..<10).allSatisfy { _ in socket.write(lines, within: time) }
        }
        #expect(!isWritten)
        await reader.value
    }

    @Test func `32 clients of the control socket that send a byte now and then do not keep another out`()
        async throws
    {
        let time: @Sendable (Int) -> PeerTime = { Self.time($0, step: .seconds(5)) }
        try await withServer(timeout: 30, time: time) { folder in
            let clients = await Self.blocking {
                (0..<32).compactMap { _ in
                    LineSocket(connectingTo: ControlSocket.path(in: folder), timeout: 50)
                }
            }
            #expect(clients.count == 32)
            for client in clients {
                Thread.detachNewThread { while client.write([UInt8(ascii: "x")]) {} }
            }
            let isResponded = await Self.blocking { () -> Bool in
                if case .responded = ControlClient(folder: folder).ask(.progress) { true } else { false }
            }
            #expect(isResponded)
        }
    }

    @Test func `32 connections to the control socket are served at once, and the next one waits`()
        async throws
    {
        try await withServer(timeout: 50) { folder in
            let idle = await Self.blocking {
                (0..<32).compactMap { _ in
                    LineSocket(connectingTo: ControlSocket.path(in: folder), timeout: 50)
                }
            }
            #expect(idle.count == 32)
            let responses = Counter()
            let request = Task {
                let isResponded = await Self.blocking { () -> Bool in
                    if case .responded = ControlClient(folder: folder).ask(.report) { true } else { false }
                }
                responses.add()
                return isResponded
            }
            try await Task.sleep(for: .milliseconds(500))
            #expect(responses.value == 0)
            idle.first?.end()
            #expect(await request.value)
        }
    }

    private static let shortLimit = 1 << 17

    @Test(arguments: [(shortLimit, true), (shortLimit + 1, false)])
    func `a line of the control socket may be as long as the limit and no longer`(
        count: Int, isRead: Bool
    ) async throws {
        let path = LocalPath(folder.path("socket"))
        let listener = try SocketListener(path)
        defer { listener.stop() }
        let sender = Task {
            await Self.blocking {
                guard let socket = LineSocket(connectingTo: path, timeout: 50) else { return false }
                return socket.write([UInt8](repeating: UInt8(ascii: "x"), count: count) + [0x0A])
            }
        }
        let length = await Self.blocking { () -> Int? in
            guard let socket = listener.next(timeout: 50) else { return nil }
            var lines = IncomingLines(socket, lineLimit: Self.shortLimit)
            return lines.next()?.count
        }
        #expect(length == (isRead ? count : nil))
        _ = await sender.value
    }

    @Test func `a line of the control socket may have a gibibyte`() {
        #expect(LineSocket.lineLimit == 1 << 30)
    }
}
