import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Counts the server's open connections. Its gate opens when there is none.
private final class OpenConnections: Sendable {
    private let state = Mutex((open: 0, watchers: [Gate]()))

    func began() { state.withLock { $0.open += 1 } }

    func ended() {
        let met: [Gate] = state.withLock { state in
            state.open -= 1
            guard state.open == 0 else { return [] }
            defer { state.watchers = [] }
            return state.watchers
        }
        for gate in met { gate.open() }
    }

    func waitForNone() async throws {
        let gate = Gate()
        state.withLock { state in
            if state.open == 0 { gate.open() } else { state.watchers.append(gate) }
        }
        try await gate.wait()
    }
}

struct CancelTests {
    @Test func `a hundred cancels at odd moments leave nothing open`() async throws {
        let file = try TestFile(count: 6 << 20)
        let connections = OpenConnections()
        let server = try HostileServer { connection in
            connections.began()
            defer { connections.ended() }
            while try connection.waitForRequest() {
                try connection.readRequest()
                try connection.answer(201)
            }
        }
        defer { server.stop() }
        try await withTransport { transport in
            for round in 0..<100 {
                let task = Mutex<Task<Result<TransportResponse, TransportError>, Never>?>(nil)
                let calls = Mutex(0)
                let delegate = RecordingDelegate { _ in
                    if calls.withLock({ calls in
                        calls += 1
                        return calls == round / 4
                    }) {
                        task.withLock { $0?.cancel() }
                    }
                }
                let request = TransportRequest(method: .put, url: server.url(), body: try file.body())
                let running = Task { await transport.outcome(of: request, delegate: delegate) }
                task.withLock { $0 = running }
                if round % 4 != 0 {
                    for _ in 0..<(round * 7) { await Task.yield() }
                    running.cancel()
                }
                let result = await running.value
                #expect(result.error?.reason == .cancelled || result.status == 201)
            }
        }
        try await connections.waitForNone()
        #expect(await file.isClosedSoon())
    }

    @Test func `a cancel closes the connection at once`() async throws {
        let file = try TestFile(count: 32 << 20)
        let closed = Gate()
        let server = try HostileServer(receiveBuffer: 65_536) { connection in
            // The cancellation may come before any byte. `drain` returns when the connection ends.
            defer { closed.open() }
            try connection.readHead()
            connection.drain()
        }
        defer { server.stop() }
        try await withTransport { transport in
            let started = Gate()
            let delegate = RecordingDelegate { _ in started.open() }
            let request = TransportRequest(method: .put, url: server.url(), body: try file.body())
            let task = Task { await transport.outcome(of: request, delegate: delegate) }
            try await started.wait()
            task.cancel()
            #expect(await task.value.error?.reason == .cancelled)
            // The transport still runs, so it was the cancellation that ended the connection.
            try await closed.wait()
        }
        #expect(await file.isClosedSoon())
    }

    @Test func `a cancel while the response is awaited is a cancel`() async throws {
        let server = try HostileServer([.neverAnswer])
        defer { server.stop() }
        try await withTransport { transport in
            let request = TransportRequest(method: .put, url: server.url(), body: .bytes([1, 2, 3]))
            let task = Task { await transport.outcome(of: request) }
            try await server.wait { $0.first?.isComplete == true }
            task.cancel()
            #expect(await task.value.error?.reason == .cancelled)
        }
    }

    @Test func `a request that was cancelled before it began sends nothing`() async throws {
        let server = try HostileServer([.answer(200)])
        defer { server.stop() }
        try await withTransport { transport in
            let started = Gate()
            let task = Task {
                try? await started.wait()
                return await transport.outcome(of: TransportRequest(method: .put, url: server.url()))
            }
            task.cancel()
            started.open()
            #expect(await task.value.error?.reason == .cancelled)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `no check begins or continues after a cancel`() async throws {
        let file = try TestFile(count: 1000)
        let server = try HostileServer([.answer(200)])
        defer { server.stop() }
        let (entered, ended) = (Gate(), Gate())
        let body = try file.body { () async throws(UploadFailure) in
            entered.open()
            try? await Gate().wait(upTo: .seconds(30))
            ended.open()
        }
        try await withTransport { transport in
            let task = Task {
                await transport.outcome(of: TransportRequest(method: .put, url: server.url(), body: body))
            }
            try await entered.wait()
            task.cancel()
            #expect(await task.value.error?.reason == .cancelled)
            #expect(ended.isOpen)
        }
        server.stop()
        #expect(server.requests.allSatisfy { $0.bodyByteCount == 0 })
    }
}
