import Foundation
import Testing

@testable import FerryReceiver

@Suite(.timeLimit(.minutes(10)))
struct FlakyProxyTests {
    /// Runs a receiver with a proxy in front of it.
    private func withProxy(
        cutEvery: Duration? = nil, _ body: @escaping @Sendable (Site, FlakyProxy, Int) async throws -> Void
    ) async throws {
        try await withReceiver { site in
            let target = ReceiverAddress(host: "127.0.0.1", port: site.port)
            let proxy = FlakyProxy(target: target, cutEvery: cutEvery, seed: 7)
            let (started, start) = AsyncStream<Int>.makeStream()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await proxy.run { start.yield($0.port) } }
                let port = try #require(await started.first { _ in true })
                try await body(site, proxy, port)
                group.cancelAll()
            }
        }
    }

    @Test func `uploads and responses pass through`() async throws {
        try await withProxy { site, _, port in
            let client = try LoopbackClient(port: port)
            let content = [UInt8](repeating: 65, count: 4 << 20)
            try await client.send(Site.head("PUT", "/a", length: content.count))
            try await client.send(content)
            #expect(try await client.receive().status == 201)
            #expect(site.content("a")?.utf8.count == content.count)
        }
    }

    @Test func `a link that is taken away cuts and refuses until it is given back`() async throws {
        try await withProxy { site, proxy, port in
            let path = try await site.create(length: 10)
            let client = try LoopbackClient(port: port)
            let fields = Site.patchFields(0).merging(["Expect": "100-continue"]) { $1 }
            try await client.send(Site.head("PATCH", path, fields, length: 10))
            #expect(try await client.receive().status == 100)
            await proxy.takeLinkAway()
            #expect(await client.isClosedByPeer())
            #expect(throws: LoopbackClient.Failure.self) { try LoopbackClient(port: port) }
            try await proxy.giveLinkBack()
            let again = try LoopbackClient(port: port)
            try await again.send(Site.head("PATCH", path, Site.patchFields(0), length: 10) + "helloworld")
            #expect(try await again.receive().status == 204)
        }
    }

    @Test func `open connections are cut again and again`() async throws {
        try await withProxy(cutEvery: .milliseconds(20)) { _, _, port in
            for _ in 1...3 {
                let client = try LoopbackClient(port: port)
                #expect(await client.isClosedByPeer())
            }
        }
    }

    @Test func `stopping the proxy frees its port`() async throws {
        let proxy = FlakyProxy(target: ReceiverAddress(host: "127.0.0.1", port: 1))
        let (started, start) = AsyncStream<Int>.makeStream()
        let run = Task { try await proxy.run { start.yield($0.port) } }
        let port = try #require(await started.first { _ in true })
        run.cancel()
        try await run.value
        #expect(throws: LoopbackClient.Failure.self) { try LoopbackClient(port: port) }
    }
}
