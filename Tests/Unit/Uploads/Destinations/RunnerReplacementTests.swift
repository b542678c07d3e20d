import FerryProtocols
import FerryTestSupport
import FerryTransfer
import Foundation
import HTTPTypes
import Testing

@testable import FerryUploads

/// Tests destinations that are replaced while uploads run.
struct RunnerReplacementTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func upload(_ id: Upload.ID, to destination: Destination) throws -> Upload {
        let path = LocalPath(try directory.write(Array("hello".utf8), to: "f\(id)"))
        return Upload(
            id: id, rank: 1, path: path, identity: try SourceFile(path).identity,
            target: destination.target(name: "f\(id)"), added: Date(timeIntervalSince1970: 0))
    }

    private func place(_ server: HostileServer, version: String = "1", tls: TLSSettings = TLSSettings())
        -> Destination
    {
        Destination(
            name: "d", url: server.url("/in/"), protocolName: "put", fields: [.eTag: version], tls: tls,
            proxy: .none)
    }

    private func with(
        _ destination: Destination, _ body: (DestinationRunner) async throws -> Void
    ) async throws {
        let runner = DestinationRunner(destinations: [destination], proxy: .none, rateLimit: RateLimit())
        do {
            try await body(runner)
            await runner.shutdown()
        } catch {
            await runner.shutdown()
            throw error
        }
    }

    private func expectDone(_ outcome: UploadAttempt.Outcome) {
        guard case .done = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test func `an attempt ends with what it began with, the next one goes by what is there then`()
        async throws
    {
        let gate = Gate()
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                try connection.readRequest()
                try connection.hold(until: gate)
                try connection.answer(201)
            }
        }
        defer { server.stop() }
        let first = place(server)
        let second = place(server, version: "2", tls: TLSSettings(insecureHosts: ["other.example"]))
        try await with(first) { runner in
            let (one, two) = (try upload(1, to: first), try upload(2, to: second))
            async let running = runner.run(one, recorder: SilentRecorder()).value
            try await server.wait { $0.count == 1 }
            runner.destinations = Destinations([second], proxy: .none)
            gate.open()
            expectDone(await running)
            expectDone(await runner.run(two, recorder: SilentRecorder()).value)
        }
        #expect(server.requests.map { $0["ETag"] } == ["1", "2"])
    }

    @Test(arguments: [(TLSSettings(), 1), (TLSSettings(insecureHosts: ["other.example"]), 2)])
    func `connections are kept where a destination is reached as before`(tls: TLSSettings, count: Int)
        async throws
    {
        let server = try HostileServer([.answer(201), .answer(201)])
        defer { server.stop() }
        let (first, second) = (place(server), place(server, version: "2", tls: tls))
        try await with(first) { runner in
            expectDone(await runner.run(try upload(1, to: first), recorder: SilentRecorder()).value)
            runner.destinations = Destinations([second], proxy: .none)
            expectDone(await runner.run(try upload(2, to: second), recorder: SilentRecorder()).value)
        }
        #expect(server.connectionCount == count)
    }

    @Test func `an upload to a destination that is gone fails with a sentence, until it is back`()
        async throws
    {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let destination = place(server)
        try await with(destination) { runner in
            var upload = try upload(1, to: destination)
            runner.destinations = Destinations([], proxy: .none)
            guard case .failed(let failure) = await runner.run(upload, recorder: SilentRecorder()).value
            else {
                Issue.record("it did not fail")
                return
            }
            #expect(failure == .unknownDestination("d"))
            upload.state = .failed(failure)
            #expect(upload.failedForItsDestination)
            #expect(!runner.destinations.take(upload.target))
            runner.destinations = Destinations([destination], proxy: .none)
            expectDone(await runner.run(upload, recorder: SilentRecorder()).value)
        }
    }

    @Test func `the host of an upload is that behind the proxy of now`() async throws {
        let server = try HostileServer([])
        defer { server.stop() }
        let destination = place(server)
        try await with(destination) { runner in
            let upload = try upload(1, to: destination)
            #expect(runner.host(of: upload).proxy == nil)
            var other = destination
            let proxy = ProxyAddress(host: "proxy.example", port: 3128)
            other.proxy = .server(proxy)
            runner.destinations = Destinations([other], proxy: .none)
            #expect(runner.host(of: upload).proxy == proxy)
        }
    }

    @Test func `destinations take what is for their servers, and for addresses`() {
        let known = Destination(name: "d", url: "https://h.example/in/?key=1", protocolName: "put")
        let destinations = Destinations([known])
        #expect(destinations.take(known.target(name: "f")))
        #expect(
            destinations.take(
                Destination(name: "", url: "https://x/", protocolName: "tus").target(name: "f")))
        for (name, url, isTaken) in [
            ("e", known.url, false), ("d", "https://h.example/out/", true), ("d", "https://x/in/", false),
        ] {
            let other = Destination(name: name, url: url, protocolName: "put")
            #expect(destinations.take(other.target(name: "f")) == isTaken)
        }
    }
}

private struct SilentRecorder: AttemptRecorder {
    func record(_ resource: Redacted<UploadResource>?, durably: Bool) async throws(UploadFailure) {}
    func isReading() {}
    func didStart(_ exchange: Exchange, reached: ByteCount) {}
    func didSend(_ bytes: ByteCount, reached: ByteCount) {}
    func didFinishSending(_ exchange: Exchange) {}
}
