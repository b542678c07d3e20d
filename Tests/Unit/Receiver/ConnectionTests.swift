import NIOCore
import Synchronization
import Testing

@testable import FerryReceiver

/// Tests which connections are closed for newer ones when a limit is reached.
@Suite(.timeLimit(.minutes(10)))
struct ConnectionTests {
    private static let token = "0123456789abcdef"
    private static let authorized = ["Authorization": "Bearer \(token)"]

    private static func idle(_ count: Int, at site: Site) throws -> [LoopbackClient] {
        try (0..<count).map { _ in try LoopbackClient(port: site.port) }
    }

    /// Waits until one of the connections is closed. Which one is random, as the receiver may accept them in another
    /// order than that in which they were made.
    private static func isOneClosed(of clients: [LoopbackClient]) async -> Bool {
        let (closed, continuation) = AsyncStream<Bool>.makeStream()
        for client in clients { Task { continuation.yield(await client.isClosedByPeer()) } }
        return await closed.first { _ in true } ?? false
    }

    /// Makes 8 connections without a request, of which a limit of 4 closes four, and then one with a request, for which
    /// it closes a fifth. The receiver must have accepted the 8 before: it could otherwise accept the last one earlier
    /// than others, and close it for them before its request arrives.
    private static func expectRoom(at site: Site) async throws {
        let idle = try idle(8, at: site)
        let (closed, continuation) = AsyncStream<Bool>.makeStream()
        for client in idle { Task { continuation.yield(await client.isClosedByPeer()) } }
        var closings = closed.makeAsyncIterator()
        for _ in 0..<4 { #expect(await closings.next() == true) }
        #expect(try await site.request("PUT", "/a", authorized, "x").status == 201)
        #expect(await closings.next() == true)
    }

    @Test func `connections without the token do not keep out a client with it`() async throws {
        try await withReceiver {
            $0.token = Self.token
            $0.limits.connectionsPerClient = 4
        } _: { site async throws in
            try await Self.expectRoom(at: site)
        }
    }

    @Test func `at the limit of all clients, too, a connection without a request is closed for a new one`()
        async throws
    {
        try await withReceiver {
            $0.token = Self.token
            $0.limits.connections = 4
            $0.limits.headerTime = .seconds(50)
        } _: { site async throws in
            try await Self.expectRoom(at: site)
        }
    }

    @Test func `a connection with refused requests alone is closed for a new one`() async throws {
        try await withReceiver {
            $0.token = Self.token
            $0.limits.connectionsPerClient = 4
        } _: { site async throws in
            let refused = try Self.idle(4, at: site)
            for client in refused {
                try await client.send(Site.head("PUT", "/a", length: 1) + "x")
                #expect(try await client.receive().status == 401)
            }
            #expect(try await site.request("PUT", "/a", Self.authorized, "x").status == 201)
            #expect(await Self.isOneClosed(of: refused))
        }
    }

    @Test func `a connection with an authorized request is not closed for one without`() async throws {
        try await withReceiver {
            $0.token = Self.token
            $0.limits.connectionsPerClient = 4
        } _: { site async throws in
            let client = try LoopbackClient(port: site.port)
            for path in ["/a", "/b"] {
                try await client.send(Site.head("PUT", path, Self.authorized, length: 1) + "x")
                #expect(try await client.receive().status == 201)
                let idle = try Self.idle(8, at: site)
                #expect(await Self.isOneClosed(of: idle))
            }
        }
    }

    @Test func `connections with a request under way stay, and the next one is refused`() async throws {
        try await withReceiver {
            $0.limits.connectionsPerClient = 4
        } _: { site async throws in
            let slow = try Self.idle(4, at: site)
            for (number, client) in slow.enumerated() {
                try await client.send(Site.head("PUT", "/\(number)", length: 2) + "x")
                _ = await site.events.first { if case .created = $0 { true } else { nil } }
            }
            let next = try LoopbackClient(port: site.port)
            #expect(try await next.receive().status == 503)
            for client in slow {
                try await client.send("y")
                #expect(try await client.receive().status == 201)
            }
        }
    }
}

struct ClientAddressTests {
    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("::2:1", "0:0:0:0::/64"),
    ])
    func `a client is an IPv4 address or an IPv6 network`(address: String, client: String) throws {
        #expect(ClientAddress(try SocketAddress(ipAddress: address, port: 1)).text == client)
    }

    @Test(arguments: ["127.0.0.1", "127.0.0.5", "127.255.255.254", "::1", "::ffff:127.0.0.2"])
    func `the addresses of this machine are one client`(address: String) throws {
        #expect(ClientAddress(try SocketAddress(ipAddress: address, port: 1)).text == "127.0.0.1")
    }
}

struct ClientTableTests {
    /// A connection that records whether it was closed.
    private final class Link: Sendable {
        private let closed = Mutex(false)
        let client: ClientAddress

        init(from address: String) throws {
            client = ClientAddress(try SocketAddress(ipAddress: address, port: 1))
        }

        var id: ObjectIdentifier { ObjectIdentifier(self) }
        var isClosed: Bool { closed.withLock { $0 } }

        func enter(_ table: ClientTable) -> Bool {
            table.enter(id, of: client) { self.closed.withLock { $0 = true } }
        }
    }

    private static func links(_ count: Int, from address: String) throws -> [Link] {
        try (0..<count).map { _ in try Link(from: address) }
    }

    @Test func `a client beyond its limit is refused until one of its connections ends`() throws {
        let table = ClientTable(perClient: 2, total: 10)
        let links = try Self.links(4, from: "192.0.2.1")
        for link in links[..<2] {
            #expect(link.enter(table))
            table.authorize(link.id)
        }
        #expect(!links[2].enter(table))
        table.leave(links[0].id)
        #expect(links[2].enter(table))
        table.authorize(links[2].id)
        #expect(!links[3].enter(table))
        #expect(!links.contains { $0.isClosed })
    }

    @Test func `slow connections of one client do not keep another out`() throws {
        let table = ClientTable(perClient: 64, total: 256)
        let slow = try Self.links(256, from: "192.0.2.1")
        for link in slow where link.enter(table) { table.authorize(link.id) }
        #expect(try Link(from: "192.0.2.2").enter(table))
        #expect(!slow.contains { $0.isClosed })
    }

    @Test func `a refused connection is closed before a silent one, and no other`() throws {
        let table = ClientTable(perClient: 5, total: 10, choose: \.lowerBound)
        let links = try Self.links(5, from: "192.0.2.1")
        for link in links { #expect(link.enter(table)) }
        table.authorize(links[0].id)
        table.ask(links[1].id)
        table.ask(links[3].id)
        table.refuse(links[3].id)
        // After a refusal, a later request does not protect the connection again.
        table.ask(links[3].id)
        let newer = try Self.links(4, from: "192.0.2.1")
        #expect(newer.map { $0.enter(table) } == [true, true, true, true])
        #expect(links.map(\.isClosed) == [false, false, true, true, true])
        #expect(newer.map(\.isClosed) == [true, false, false, false])
        let other = ClientTable(perClient: 5, total: 10, choose: \.lowerBound)
        let some = try Self.links(6, from: "192.0.2.1")
        for link in some[..<5] { #expect(link.enter(other)) }
        other.ask(some[4].id)
        other.refuse(some[4].id)
        #expect(some[5].enter(other))
        #expect(some.map(\.isClosed) == [false, false, false, false, true, false])
    }

    @Test func `at the limit of all clients, the one with the most connections loses one`() throws {
        let table = ClientTable(perClient: 10, total: 4, choose: \.lowerBound)
        let modest = try Self.links(1, from: "192.0.2.1")
        let greedy = try Self.links(3, from: "192.0.2.2")
        for link in modest + greedy { #expect(link.enter(table)) }
        #expect(try Link(from: "192.0.2.3").enter(table))
        #expect((modest + greedy).map(\.isClosed) == [false, true, false, false])
    }

    @Test func `a listener learns when a connection may be closed`() throws {
        let table = ClientTable(perClient: 2, total: 2)
        let link = try Link(from: "192.0.2.1")
        #expect(link.enter(table))
        table.ask(link.id)
        let calls = Mutex(0)
        let hadClosable = table.hasClosable { calls.withLock { $0 += 1 } }
        #expect(!hadClosable)
        table.refuse(link.id)
        #expect(calls.withLock { $0 } == 1)
        let hasClosable = table.hasClosable { calls.withLock { $0 += 1 } }
        #expect(hasClosable)
        table.leave(link.id)
        #expect(calls.withLock { $0 } == 1)
    }
}
