import FerryFiles
import FerryTestSupport
import FerryUploads
import Foundation
import Testing

@testable import FerryCommand

/// Tests clients of an engine that keeps its connections but does not respond.
@Suite(.timeLimit(.minutes(10)))
struct SilentEngineTests {
    private let folder: TemporaryDirectory
    private var state: LocalPath { LocalPath(folder.path) }

    init() throws { folder = try TemporaryDirectory() }

    @Test func `an engine that does not end is named after the time for it`() async throws {
        #expect(EngineStop(folder: state).timeout == .seconds(60))
        let stop = EngineStop(folder: state, timeout: .milliseconds(1))
        let lock = try StateDirectory(at: state).lock()
        let failure = await #expect(throws: CommandFailure.self) {
            try await stop.waitForRelease(by: Machine.process)
        }
        #expect(failure?.summary == "process \(Machine.process) did not stop")
        withExtendedLifetime(lock) {}
    }

    @Test func `an engine that has released the queue is not waited for`() async throws {
        _ = try StateDirectory(at: state).lock()
        try await EngineStop(folder: state).waitForRelease(by: Machine.process)
    }

    /// Accepts a connection to the control socket and responds to its request, as an engine with an empty queue does.
    ///
    /// - Returns: The connection; nil once the listener has stopped.
    private static func respond(on listener: SocketListener) -> LineSocket? {
        guard let socket = listener.next(timeout: 50) else { return nil }
        var lines = IncomingLines(socket)
        guard let line = lines.next(),
            let request = try? JSONDecoder().decode(ControlSocket.Request.self, from: Data(line))
        else { return socket }
        if case .follow = request.ask {
            _ = socket.write(line: ControlSocket.Response(content: .following))
            _ = (try? UpdateLines.text(of: .whole([]))).map { socket.write($0) }
        } else {
            _ = socket.write(line: ControlSocket.Response(content: .progress([])))
        }
        return socket
    }

    @Test func `a screen shows that the engine is silent, and that it responds again`() async throws {
        let listener = try SocketListener(ControlSocket.path(in: state))
        let resumed = DispatchSemaphore(value: 0)
        defer {
            listener.stop()
            resumed.signal()
        }
        Thread.detachNewThread {
            let follower = Self.respond(on: listener)
            // The kernel accepts connections for a process that stands still, and keeps what they send.
            resumed.wait()
            while Self.respond(on: listener) != nil {}
            follower?.end()
        }
        var updates = await RemoteQueue(folder: state).updates().makeAsyncIterator()
        #expect(await updates.next()?.isComplete == true)
        var status = try #require(await updates.next()?.status)
        guard case .silent = status.contact else {
            Issue.record("told \(status.contact)")
            return
        }
        resumed.signal()
        status = try #require(await updates.next()?.status)
        #expect(status.contact == .here)
    }
}
