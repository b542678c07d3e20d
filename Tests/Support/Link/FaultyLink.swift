import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A TCP proxy on 127.0.0.1 that behaves as a bad link and counts the bytes that clients send.
///
/// A seed decides everything random. Breaks after a number of bytes come at exact counts over all connections together.
/// After `stop()` no thread of it runs, and all its sockets are closed.
public final class FaultyLink: Sendable {
    private struct State {
        var through = 0
        /// Bytes that left clients: read, or unread when their connection ended.
        var received = 0
        /// The time at which the last of them came.
        var lastReceived = ContinuousClock.now
        /// The connections that stand still, and how much of each waits unread.
        var frozen: [Int: (client: Descriptor, unread: Int)] = [:]
        var connections = 0
        /// The values of `through` at which connections break, in descending order.
        var cuts: [Int]
        /// The number of breaks so far. A connection breaks when this number has changed since its start.
        var breaks = 0
        /// The time at which new connections succeed again after the last break.
        var back = ContinuousClock.now
        var threads = 1
        var override: Override = .none
    }

    private enum Override {
        case none
        case there
        case away(LinkOutage)
    }

    /// The port that clients connect to.
    public let port: Int
    private let target: UInt16
    private let faults: LinkFaults
    private let listener: Descriptor
    private let onCut: @Sendable (Int) -> Void
    private let state: Mutex<State>
    private let start = ContinuousClock.now
    private let (upward, downward): (LinkShaper, LinkShaper)
    private let died = Gate()
    private let stopping = Gate()
    private let ended = Gate()

    /// Listens on a port.
    /// - Parameters:
    ///   - target: The port of the server, on 127.0.0.1.
    ///   - port: The port to listen on; 0 for a free one.
    ///   - anywhere: True if other network namespaces can connect.
    ///   - faults: The faults of the link.
    ///   - onCut: Called with the number of the break, from 1, before connections break after a number of bytes. The
    ///     bytes wait until it returns.
    public init(
        to target: Int, on port: Int = 0, anywhere: Bool = false, _ faults: LinkFaults,
        onCut: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws {
        self.target = UInt16(clamping: target)
        self.faults = faults
        self.onCut = onCut
        state = Mutex(State(cuts: Set(faults.cutsAfter).sorted(by: >)))
        upward = LinkShaper(bandwidth: faults.bandwidth)
        downward = LinkShaper(bandwidth: faults.bandwidth)
        // Large buffers would accept bytes that never reach the server.
        let (listener, bound) = try Descriptor.listening(
            on: UInt16(clamping: port), anywhere: anywhere, receiveBuffer: Self.bufferSize)
        self.listener = listener
        self.port = Int(bound)
        Thread.detachNewThread { self.accept() }
    }

    private static let bufferSize: Int32 = 128 << 10

    /// The number of bytes that came from clients so far, including the heads of requests.
    public var bytesThrough: Int { state.withLock { $0.through } }
    /// The number of bytes that left clients so far: `bytesThrough`, and those that a break has lost.
    public var bytesReceived: Int { state.withLock { $0.received } }
    /// True if connections are frozen and no byte has arrived for a second, because their windows are closed.
    public var isStill: Bool {
        state.withLock { !$0.frozen.isEmpty && ContinuousClock.now - $0.lastReceived >= .seconds(1) }
    }
    /// The number of breaks, by `cut()` or after a number of bytes.
    public var cutCount: Int { state.withLock { $0.breaks } }
    /// The number of connections so far.
    public var connectionCount: Int { state.withLock { $0.connections } }
    /// Waits until an outage of the kind `silence` has ended a connection.
    public func waitForDeath() async throws { try await died.wait() }

    /// Sets the state of the link, instead of the schedule: the outage, or no outage if it is nil.
    public func change(to outage: LinkOutage?) {
        state.withLock { state in
            state.override = outage.map { .away($0) } ?? .there
            state.frozen = [:]
        }
    }

    /// Breaks all connections at once. From now on the link is there.
    ///
    /// Those that are frozen end in the same moment. A client that meets the first break would otherwise close the
    /// others itself, and its kernel would go on sending.
    public func cut() {
        state.withLock { state in
            for (client, _) in state.frozen.values {
                state.received += client.unreadCount
                client.reset()
            }
            state.frozen = [:]
            state.override = .there
            state.breaks += 1
        }
    }

    /// The total time without an outage so far, by the schedule.
    public var uptime: Duration { faults.outages.uptime(until: start.duration(to: .now)) }

    /// Breaks all connections and stops listening. Returns when every thread has ended.
    public func stop() {
        stopping.open()
        ended.block(upTo: .seconds(30))
    }

    private var outage: LinkOutage? {
        switch state.withLock({ $0.override }) {
        case .none: faults.outages.outage(at: start.duration(to: .now))
        case .there: nil
        case .away(let outage): outage
        }
    }

    private func accept() {
        while let client = listener.accept(unless: stopping) {
            switch outage {
            case .cut, .close, .refuse:
                client.reset()
                continue
            case .freeze, .silence, .mute, nil: break
            }
            let number = state.withLock { state in
                state.threads += 1
                state.connections += 1
                return state.connections
            }
            Thread.detachNewThread {
                self.serve(client, number)
                self.endThread()
            }
        }
        listener.close()
        endThread()
    }

    private func endThread() {
        let isLast = state.withLock { state in
            state.threads -= 1
            return state.threads == 0
        }
        if isLast { ended.open() }
    }

    /// The reason why a connection ends.
    private enum End {
        case over
        case broken(LinkFaults.Ending)
        /// No side is notified, and no more bytes are transferred.
        case dead
    }

    private func serve(_ client: Descriptor, _ number: Int) {
        if outage == .silence { return bury(client, nil) }
        let untilBack = ContinuousClock.now.duration(to: state.withLock { $0.back })
        let wait = max(.zero, untilBack) + faults.acceptDelay
        if wait > .zero { stopping.block(upTo: wait) }
        while !stopping.isOpen, outage == .freeze { stopping.block(upTo: .milliseconds(5)) }
        guard let server = try? Descriptor.connected(to: target) else { return client.reset() }
        var size = Self.bufferSize
        setsockopt(
            server.number, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
        if faults.segmentSize != nil {
            var one: Int32 = 1
            for end in [client, server] {
                setsockopt(
                    end.number, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
            }
        }
        let end = carry(client, server, number)
        let unread = client.unreadCount
        state.withLock { $0.received += unread }
        switch end {
        case .over:
            client.close()
            server.close()
        case .broken(.reset):
            client.reset()
            server.reset()
        case .broken(.close):
            client.close()
            server.close()
        case .dead: bury(client, server)
        }
    }

    private func carry(_ client: Descriptor, _ server: Descriptor, _ number: Int) -> End {
        var random = SeededGenerator(seed: faults.seed &+ UInt64(number))
        let began = cutCount
        var up = LinkLane(faults, upward)
        var down = LinkLane(faults, downward)
        var interim = faults.interimAnswers
        var isMute = false
        while !stopping.isOpen, !(up.isOver && down.isOver) {
            // Asked before the count: a frozen connection that is cut is not touched again.
            let outage = outage
            guard cutCount == began else { return .broken(ending) }
            switch outage {
            case .cut: return .broken(.reset)
            case .close: return .broken(.close)
            case .silence: return .dead
            case .freeze:
                freeze(client, number, since: began)
                stopping.block(upTo: .milliseconds(5))
                continue
            case .mute: isMute = true
            case .refuse, nil: if isMute { return .broken(.reset) }
            }
            let timeout = timeout(until: [up.nextArrival, down.nextArrival])
            let events = Self.wait(
                timeout, for: (client.number, up.wantsRead, down.wantsWrite),
                and: (server.number, down.wantsRead, up.wantsWrite))
            if events.first.canRead {
                let count = up.read(from: client.number, &random)
                state.withLock { state in
                    state.received += count
                    state.lastReceived = .now
                }
            }
            if events.second.canRead {
                while interim > 0 {
                    interim -= 1
                    down.take(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)[...], &random)
                }
                down.read(from: server.number, &random)
            }
            let isWhole = up.arrive(admit)
            _ = down.arrive { _ in .all }
            if isMute { down.lose() }
            guard isWhole else {
                Self.flush(&up, to: server)
                return .broken(ending)
            }
            guard up.write(to: server), down.write(to: client) else { return .broken(.reset) }
        }
        return stopping.isOpen ? .broken(.reset) : .over
    }

    /// Notes that a connection stands still, and whether bytes still come. `breaks` is the number of breaks before it.
    private func freeze(_ client: Descriptor, _ number: Int, since breaks: Int) {
        state.withLock { state in
            guard state.breaks == breaks, case .away(.freeze) = state.override else { return }
            let unread = client.unreadCount
            if state.frozen[number]?.unread != unread { state.lastReceived = .now }
            state.frozen[number] = (client, unread)
        }
    }

    private var ending: LinkFaults.Ending { faults.ending ?? (cutCount % 2 == 0 ? .reset : .close) }

    /// Returns the milliseconds until the next arrival, at most 5, so that a break on another connection is noticed.
    private func timeout(until arrivals: [ContinuousClock.Instant?]) -> Int32 {
        guard let first = arrivals.compactMap({ $0 }).min() else { return 5 }
        return Int32(
            max(0, min(5, (ContinuousClock.now.duration(to: first) / .milliseconds(1)).rounded(.up))))
    }

    /// Keeps both sides of the connection open without transferring bytes, until the client gives up. The server never
    /// notices.
    private func bury(_ client: Descriptor, _ server: Descriptor?) {
        died.open()
        while !stopping.isOpen {
            var waiting = pollfd(fd: client.number, events: 0, revents: 0)
            // The client's bytes are not read, so poll(2) reports only a reset.
            if poll(&waiting, 1, 0) > 0 { break }
            stopping.block(upTo: .milliseconds(50))
        }
        client.close()
        stopping.block(upTo: .seconds(3600))
        server?.reset()
    }

    /// Counts the bytes of a client, and returns how many may pass before a break.
    private func admit(_ count: Int) -> LinkLane.Passage {
        let (passage, number): (LinkLane.Passage, Int) = state.withLock { state in
            guard let next = state.cuts.last, state.through + count >= next else {
                state.through += count
                return (.all, 0)
            }
            let allowed = next - state.through
            state.through = next
            state.cuts.removeLast()
            return (.cut(after: allowed), state.breaks + 1)
        }
        guard case .cut = passage else { return passage }
        onCut(number)
        state.withLock { state in
            state.breaks += 1
            state.back = .now + faults.downtime
        }
        upward.clear()
        downward.clear()
        return passage
    }

    /// Writes the bytes that passed before the break, unless the server does not read them.
    private static func flush(_ lane: inout LinkLane, to server: Descriptor) {
        for _ in 0..<100 where lane.wantsWrite {
            _ = wait(5, for: (server.number, false, true), and: (server.number, false, false))
            guard lane.write(to: server) else { return }
        }
    }

    private typealias Interest = (number: Int32, read: Bool, write: Bool)
    private typealias Readiness = (canRead: Bool, canWrite: Bool)

    private static func wait(
        _ milliseconds: Int32, for first: Interest, and second: Interest
    ) -> (first: Readiness, second: Readiness) {
        var waiting = [first, second].map { interest in
            // poll(2) ignores an entry with a negative descriptor.
            pollfd(
                fd: interest.read || interest.write ? interest.number : -1,
                events: Int16((interest.read ? POLLIN : 0) | (interest.write ? POLLOUT : 0)), revents: 0)
        }
        guard poll(&waiting, 2, milliseconds) > 0 else { return ((false, false), (false, false)) }
        let found = waiting.map { entry -> Readiness in
            let ended = Int32(entry.revents) & (POLLHUP | POLLERR) != 0
            let asked = Int32(entry.events)
            return (
                asked & POLLIN != 0 && (ended || Int32(entry.revents) & POLLIN != 0),
                asked & POLLOUT != 0 && (ended || Int32(entry.revents) & POLLOUT != 0)
            )
        }
        return (found[0], found[1])
    }
}
