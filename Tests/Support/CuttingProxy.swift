import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A TCP proxy on 127.0.0.1 that counts the bytes clients send and breaks all connections each time so many have
/// passed.
///
/// Breaks are at exact counts over all connections together, so a seed repeats them. Every second one resets, the
/// others close in order. After `stop()` no thread of it runs and no socket is open.
public final class CuttingProxy: Sendable {
    private struct State {
        var through = 0
        /// Counts of `through` at which connections break, the next one last.
        var cuts: [Int]
        /// How many breaks there were: a connection ends when it sees another number than it began with.
        var breaks = 0
        /// When the link is back after the last break.
        var back = ContinuousClock.now
        var threads = 1
    }

    /// What may pass of what has come from a client.
    private enum Passage {
        case all
        /// So many bytes, and then all connections break.
        case cut(after: Int)
    }

    /// Where clients connect to.
    public let port: Int
    private let target: UInt16
    private let listener: Descriptor
    private let downtime: Duration
    private let onCut: @Sendable (Int) -> Void
    private let state: Mutex<State>
    private let stopping = Gate()
    private let ended = Gate()

    /// Listens on a free port.
    /// - Parameters:
    ///   - target: The port of the server, on 127.0.0.1.
    ///   - cuts: After how many bytes of all clients together connections break, from the start.
    ///   - downtime: For how long new connections get nowhere after a break, as with any link. Servers need that time as
    ///     well: one that meets the next request before it has noticed the break may wait for itself (seen with
    ///     tuspyserver 4.4.3, for 30 seconds).
    ///   - onCut: Called with the number of the break, from 1, before connections break; the bytes wait.
    public init(
        to target: Int, cutsAfter cuts: [Int] = [], downtime: Duration = .milliseconds(500),
        onCut: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws {
        self.downtime = downtime
        self.target = UInt16(clamping: target)
        self.onCut = onCut
        state = Mutex(State(cuts: Set(cuts).sorted(by: >)))
        // What waits in buffers has not passed: large ones would hide what a client sends in vain.
        let (listener, port) = try Descriptor.listening(receiveBuffer: Self.bufferSize)
        self.listener = listener
        self.port = Int(port)
        Thread.detachNewThread { self.accept() }
    }

    private static let bufferSize: Int32 = 128 << 10

    /// Bytes that came from clients so far, heads of requests and all.
    public var bytesThrough: Int { state.withLock { $0.through } }
    /// How often connections were broken.
    public var cutCount: Int { state.withLock { $0.breaks } }

    /// Breaks what is open and listens no more. Returns when every thread has ended.
    public func stop() {
        stopping.open()
        ended.block(upTo: .seconds(30))
    }

    private func accept() {
        while let client = listener.accept(unless: stopping) {
            state.withLock { $0.threads += 1 }
            Thread.detachNewThread {
                self.serve(client)
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

    private func serve(_ client: Descriptor) {
        let wait = ContinuousClock.now.duration(to: state.withLock { $0.back })
        if wait > .zero { stopping.block(upTo: wait) }
        guard let server = try? Descriptor.connected(to: target) else { return client.reset() }
        var size = Self.bufferSize
        setsockopt(
            server.number, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
        let began = cutCount
        var upward = Direction()
        var downward = Direction()
        var isCut = false
        while !isCut, !stopping.isOpen, cutCount == began, !(upward.isOver && downward.isOver) {
            let events = Self.wait(
                for: (client.number, upward.wantsRead, downward.wantsWrite),
                and: (server.number, downward.wantsRead, upward.wantsWrite))
            if events.first.canRead { upward.read(from: client.number) }
            if events.second.canRead { downward.read(from: server.number) }
            if !upward.fresh.isEmpty, case .cut(let count) = admit(upward.fresh.count) {
                upward.keep(count)
                isCut = true
            }
            upward.release()
            downward.release()
            guard upward.write(to: server), downward.write(to: client) else { break }
        }
        if isCut { Self.flush(&upward, to: server) }
        if cutCount % 2 == 0 {
            client.reset()
            server.reset()
        } else {
            client.close()
            server.close()
        }
    }

    /// Counts bytes of a client.
    private func admit(_ count: Int) -> Passage {
        let (passage, number): (Passage, Int) = state.withLock { state in
            guard let next = state.cuts.last, state.through + count >= next else {
                state.through += count
                return (.all, 0)
            }
            let allowed = next - state.through
            state.through = next
            state.cuts.removeLast()
            return (.cut(after: allowed), state.breaks + 1)
        }
        if case .cut = passage {
            onCut(number)
            state.withLock { state in
                state.breaks += 1
                state.back = .now + downtime
            }
        }
        return passage
    }

    /// What was let through before a break is on its way when it comes, unless the server does not read.
    private static func flush(_ direction: inout Direction, to server: Descriptor) {
        for _ in 0..<100 where direction.wantsWrite {
            _ = wait(for: (server.number, false, true), and: (server.number, false, false))
            guard direction.write(to: server) else { return }
        }
    }

    private typealias Interest = (number: Int32, read: Bool, write: Bool)
    private typealias Readiness = (canRead: Bool, canWrite: Bool)

    /// Waits a moment at most, so that breaks elsewhere are seen.
    private static func wait(
        for first: Interest, and second: Interest
    ) -> (first: Readiness, second: Readiness) {
        var waiting = [first, second].map { interest in
            // A number below zero is left out.
            pollfd(
                fd: interest.read || interest.write ? interest.number : -1,
                events: Int16((interest.read ? POLLIN : 0) | (interest.write ? POLLOUT : 0)), revents: 0)
        }
        guard poll(&waiting, 2, 5) > 0 else { return ((false, false), (false, false)) }
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

/// Bytes on their way through, in one direction.
private struct Direction {
    /// Read and not yet counted.
    private(set) var fresh: [UInt8] = []
    private var pending: ArraySlice<UInt8> = []
    private var end = End.open

    private enum End { case open, read, passedOn }

    var wantsRead: Bool { end == .open && pending.isEmpty }
    var wantsWrite: Bool { !pending.isEmpty }
    var isOver: Bool { end == .passedOn }

    mutating func read(from number: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(number, &buffer, buffer.count, Int32(MSG_DONTWAIT.rawFlag))
        if count > 0 {
            fresh = Array(buffer[..<count])
        } else if count == 0 || ![EINTR, EAGAIN].contains(errno) {
            end = .read
        }
    }

    /// Only so many bytes of what is fresh may pass.
    mutating func keep(_ count: Int) { fresh = Array(fresh.prefix(count)) }

    mutating func release() {
        guard !fresh.isEmpty else { return }
        pending = fresh[...]
        fresh = []
    }

    /// - Returns: false if the other side is gone.
    mutating func write(to other: Descriptor) -> Bool {
        while !pending.isEmpty {
            let count = pending.withUnsafeBytes { bytes in
                send(other.number, bytes.baseAddress, bytes.count, Self.sendFlags)
            }
            if count > 0 {
                pending = pending.dropFirst(count)
            } else {
                return [EINTR, EAGAIN].contains(errno)
            }
        }
        if end == .read {
            other.shutDownSending()
            end = .passedOn
        }
        return true
    }

    #if canImport(Darwin)
        private static let sendFlags = MSG_DONTWAIT
    #else
        private static let sendFlags = Int32(MSG_DONTWAIT.rawFlag) | Int32(MSG_NOSIGNAL.rawFlag)
    #endif
}

#if canImport(Darwin)
    extension Int32 {
        fileprivate var rawFlag: Int32 { self }
    }
#else
    extension RawRepresentable {
        fileprivate var rawFlag: RawValue { rawValue }
    }
    extension Int {
        fileprivate var rawFlag: Int { self }
    }
#endif
