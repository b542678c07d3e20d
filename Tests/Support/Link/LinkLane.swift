import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The bandwidth of one direction, shared by all connections. `pass` returns the time at which bytes have passed.
final class LinkShaper: Sendable {
    private let bandwidth: Int?
    private let free = Mutex(ContinuousClock.now)

    init(bandwidth: Int?) { self.bandwidth = bandwidth }

    func pass(_ count: Int, at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        guard let bandwidth, bandwidth > 0 else { return now }
        return free.withLock { free in
            free = max(free, now) + .nanoseconds(Int64(Double(count) / Double(bandwidth) * 1e9))
            return free
        }
    }

    /// Removes the delays of bytes that were lost.
    func clear() { free.withLock { $0 = .now } }
}

/// The bytes of one connection in one direction, while they are under way.
struct LinkLane {
    private struct Segment {
        var bytes: ArraySlice<UInt8>
        var arrival: ContinuousClock.Instant
    }

    private enum End { case open, read, passedOn }

    private var segments: [Segment] = []
    /// The bytes that have arrived and are not yet written to the other side.
    private var ready: ArraySlice<UInt8> = []
    private var waiting = 0
    private var end = End.open
    private var lastArrival = ContinuousClock.now
    private let faults: LinkFaults
    private let shaper: LinkShaper
    private let window: Int

    init(_ faults: LinkFaults, _ shaper: LinkShaper) {
        self.faults = faults
        self.shaper = shaper
        // A larger buffer would accept bytes that never reach the server. This one holds the bytes that are under way
        // at once, and 64 KiB.
        let flight = Double(faults.bandwidth ?? 0) * (faults.latency / .seconds(1))
        window = (64 << 10) + Int(flight)
    }

    var wantsRead: Bool { end == .open && waiting + ready.count < window }
    var wantsWrite: Bool { !ready.isEmpty }
    var isOver: Bool { end == .passedOn }
    /// The arrival time of the next bytes; nil while arrived bytes have to be written first.
    var nextArrival: ContinuousClock.Instant? { holdsBack ? nil : segments.first?.arrival }
    /// True if arrived bytes have to be written before others arrive, so that segments stay separate.
    private var holdsBack: Bool { faults.segmentSize != nil && !ready.isEmpty }

    /// Reads the bytes that one side has sent.
    ///
    /// - Returns: The number of bytes.
    @discardableResult
    mutating func read(from number: Int32, _ random: inout SeededGenerator) -> Int {
        // Small reads keep the transfer smooth at a low bandwidth.
        let limit = min(65_536, max(1024, (faults.bandwidth ?? 1 << 24) / 100))
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = recv(number, &buffer, buffer.count, Int32(MSG_DONTWAIT.rawFlag))
        if count > 0 {
            take(buffer[..<count], &random)
        } else if count == 0 || ![EINTR, EAGAIN].contains(errno) {
            end = .read
        }
        return max(0, count)
    }

    /// Starts the transfer of bytes.
    mutating func take(_ bytes: ArraySlice<UInt8>, _ random: inout SeededGenerator) {
        var rest = bytes
        while !rest.isEmpty {
            let size = faults.segmentSize.map { Int.random(in: 1...max(1, $0), using: &random) } ?? rest.count
            let bytes = rest.prefix(size)
            rest = rest.dropFirst(size)
            let jitter =
                faults.jitter > .zero ? faults.jitter * Double.random(in: 0...1, using: &random) : .zero
            let arrival = shaper.pass(bytes.count, at: .now) + faults.latency + jitter
            lastArrival = max(lastArrival, arrival)
            segments.append(Segment(bytes: bytes, arrival: lastArrival))
            waiting += bytes.count
        }
    }

    /// The part of the arriving bytes that passes.
    enum Passage {
        case all
        /// The connection breaks after this many of the bytes.
        case cut(after: Int)
    }

    /// Moves the bytes whose arrival time has come.
    ///
    /// - Parameter admit: Returns how many bytes of a segment pass. It is called with the segment's length.
    /// - Returns: False if the connection breaks.
    mutating func arrive(_ admit: (Int) -> Passage) -> Bool {
        let now = ContinuousClock.now
        while !holdsBack, let first = segments.first, first.arrival <= now {
            segments.removeFirst()
            waiting -= first.bytes.count
            if case .cut(let count) = admit(first.bytes.count) {
                ready.append(contentsOf: first.bytes.prefix(count))
                return false
            }
            ready.append(contentsOf: first.bytes)
        }
        return true
    }

    /// Discards the bytes that have arrived.
    mutating func lose() { ready = [] }

    /// Writes the arrived bytes to the other side.
    ///
    /// - Returns: False if the other side has ended the connection.
    mutating func write(to other: Descriptor) -> Bool {
        while !ready.isEmpty {
            let count = ready.withUnsafeBytes { bytes in
                send(other.number, bytes.baseAddress, bytes.count, Self.sendFlags)
            }
            if count > 0 {
                ready = ready.dropFirst(count)
            } else {
                return [EINTR, EAGAIN].contains(errno)
            }
        }
        if end == .read, segments.isEmpty {
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
