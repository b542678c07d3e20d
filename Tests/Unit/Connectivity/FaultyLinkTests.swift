import FerryTestSupport
import Foundation
import Testing

@Suite struct LinkScheduleTests {
    @Test(arguments: [
        (0.0, false), (1.9, false), (2.0, true), (4.9, true), (5.0, false), (7.0, true), (9.999, true),
        (10.0, false),
    ])
    func `a regular schedule is there first and then away, again and again`(second: Double, isAway: Bool) {
        let schedule = LinkSchedule(up: .seconds(2), down: .seconds(3), .cut)
        #expect(schedule.outage(at: .seconds(second)) == (isAway ? .cut : nil))
    }

    @Test func `a list of outages is kept to`() {
        let schedule = LinkSchedule([
            (start: .seconds(1), length: .seconds(2), outage: .freeze),
            (start: .seconds(5), length: .seconds(1), outage: .mute),
        ])
        let seen = (0...6).map { schedule.outage(at: .seconds($0)) }
        #expect(seen == [nil, .freeze, .freeze, nil, nil, .mute, nil])
        #expect(schedule.uptime(until: .seconds(7)) == .seconds(4))
        #expect(schedule.uptime(until: .seconds(2)) == .seconds(1))
    }

    @Test(arguments: [(0.0, 0.0), (1, 1), (2, 2), (4, 2), (5, 2), (6, 3), (9, 4), (10, 4)])
    func `the time for which a link was there is counted`(second: Double, up: Double) {
        let schedule = LinkSchedule(up: .seconds(2), down: .seconds(3), .cut)
        #expect(schedule.uptime(until: .seconds(second)) == .seconds(up))
    }

    @Test func `a schedule without any length is never away`() {
        #expect(LinkSchedule(up: .zero, down: .zero, .cut).outage(at: .seconds(1)) == nil)
    }
}

/// Tests `FaultyLink` between a client and a server.
@Suite(.timeLimit(.minutes(10))) struct FaultyLinkTests {
    private static let request = "PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n"
    private static let body = [UInt8](repeating: 65, count: 2000)

    private func client(
        _ server: HostileServer, _ change: (inout LinkFaults) -> Void
    ) throws -> (FaultyLink, RawClient) {
        var faults = LinkFaults()
        change(&faults)
        let link = try FaultyLink(to: Int(server.port), faults)
        return (link, try RawClient(port: UInt16(link.port)))
    }

    @Test func `a link without faults passes everything on and counts it`() throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let (link, client) = try client(server) { _ in }
        defer { link.stop() }
        #expect(client.send(Self.request) && client.send(Self.body))
        #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 201"))
        #expect(link.bytesThrough == Self.request.utf8.count + 2000)
        #expect(link.connectionCount == 1)
    }

    @Test func `a connection breaks after exactly so many bytes`() async throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let (link, client) = try client(server) {
            $0.cutsAfter = [Self.request.utf8.count + 700]
            $0.ending = .reset
        }
        defer { link.stop() }
        #expect(client.send(Self.request) && client.send(Self.body))
        #expect(client.receiveAll().end == .reset)
        #expect(link.cutCount == 1)
        let requests = try await server.wait { $0.first?.bodyByteCount == 700 }
        #expect(requests.count == 1)
    }

    @Test func `bytes that a break stops have left the client all the same`() throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let (link, client) = try client(server) {
            $0.cutsAfter = [Self.request.utf8.count + 700]
            $0.ending = .reset
        }
        defer { link.stop() }
        #expect(client.send(Self.request) && client.send(Self.body))
        #expect(client.receiveAll().end == .reset)
        #expect(link.bytesThrough == Self.request.utf8.count + 700)
        #expect(link.bytesReceived == Self.request.utf8.count + 2000)
    }

    @Test func `bytes that arrive in small chunks are the same bytes`() throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let (link, client) = try client(server) { $0.segmentSize = 7 }
        defer { link.stop() }
        #expect(client.send(Self.request) && client.send(Self.body))
        #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 201"))
        #expect(server.requests.first?.body == Self.body)
    }

    @Test func `a response that is sent while the link is mute is lost, and the connection is reset`()
        async throws
    {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let (link, client) = try client(server) { _ in }
        defer { link.stop() }
        link.change(to: .mute)
        #expect(client.send(Self.request) && client.send(Self.body))
        _ = try await server.wait { $0.first?.isComplete == true }
        link.change(to: nil)
        let (text, end) = client.receiveAll()
        #expect(text.isEmpty)
        #expect(end == .reset)
    }

    @Test func `a frozen link resumes where it was`() throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let (link, client) = try client(server) { _ in }
        defer { link.stop() }
        link.change(to: .freeze)
        #expect(client.send(Self.request) && client.send(Self.body))
        #expect(server.requests.isEmpty)
        link.change(to: nil)
        #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 201"))
    }

    @Test func `a silent connection reports no error, and the next connection works`() async throws {
        let server = try HostileServer([.answer(201), .answer(201)])
        defer { server.stop() }
        let (link, silent) = try client(server) { _ in }
        defer { link.stop() }
        #expect(silent.send(Self.request))
        _ = try await server.wait { $0.count == 1 }
        link.change(to: .silence)
        try await link.waitForDeath()
        link.change(to: nil)
        #expect(silent.send(Self.body))
        let next = try RawClient(port: UInt16(link.port))
        #expect(next.send(Self.request) && next.send(Self.body))
        #expect(next.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 201"))
        #expect(server.requests.first?.isComplete == false)
    }

    @Test func `unrequested interim responses come first`() throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let (link, client) = try client(server) { $0.interimAnswers = 2 }
        defer { link.stop() }
        #expect(client.send(Self.request) && client.send(Self.body))
        let answers = client.receive(until: "HTTP/1.1 201").components(separatedBy: "HTTP/1.1 ")
        #expect(answers.map { $0.prefix(3) } == ["", "100", "100", "201"])
    }

    @Test func `a link that refuses resets new connections`() throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let (link, client) = try client(server) {
            $0.outages = LinkSchedule([(start: .zero, length: .seconds(60), outage: .refuse)])
        }
        defer { link.stop() }
        #expect(client.receiveAll().end == .reset)
        #expect(server.connectionCount == 0)
    }

    @Test(
        arguments: [
            // The latency applies to the request and to the response.
            (\LinkFaults.latency, 200.0, 400.0), (\.acceptDelay, 300, 300),
        ] as [(any WritableKeyPath<LinkFaults, Duration> & Sendable, Double, Double)])
    func `bytes take no less than their time`(
        fault: any WritableKeyPath<LinkFaults, Duration> & Sendable, milliseconds: Double, least: Double
    ) throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let began = ContinuousClock.now
        let (link, client) = try client(server) { $0[keyPath: fault] = .milliseconds(milliseconds) }
        defer { link.stop() }
        #expect(client.send(Self.request) && client.send(Self.body))
        #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 201"))
        #expect(ContinuousClock.now - began >= .milliseconds(least))
    }

    @Test func `no more bytes go through in a second than the bandwidth says`() throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let (link, client) = try client(server) { $0.bandwidth = 5000 }
        defer { link.stop() }
        let began = ContinuousClock.now
        #expect(client.send(Self.request) && client.send(Self.body))
        #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 201"))
        // The request and the head of the response have about 2,000 bytes, each direction with a bandwidth of its own.
        #expect(ContinuousClock.now - began >= .milliseconds(400))
    }

    @Test func `jitter changes when bytes arrive and not in which order`() async throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let (link, client) = try client(server) { faults in
            faults.jitter = .milliseconds(20)
            faults.segmentSize = 50
        }
        defer { link.stop() }
        let body = (0..<2000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        #expect(client.send(Self.request) && client.send(body))
        #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 201"))
        #expect(server.requests.first?.body == body)
    }
}
