import FerryConnectivity
import NIOCore
import NIOPosix
import Synchronization

/// The reason why connections are possibly dead although no error shows it.
public enum ConnectionInvalidation: Hashable, Sendable, CaseIterable {
    /// The machine has lost a local address: connections from it receive no more bytes.
    case addressLost
    /// The machine slept: servers have possibly dropped idle connections.
    case slept
}

/// The open connections of a transport, listed so that the transport can close those that are possibly dead.
final class OpenConnections: Sendable {
    private struct Connection: Sendable {
        var channel: any Channel
        var detector: NIOLoopBound<StallDetector>
    }

    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var linkIsAway = false
    }

    private let state = Mutex(State())

    /// Adds a connection to the list until it closes, on its event loop.
    func add(_ channel: any Channel, watchedBy detector: StallDetector) {
        let name = ObjectIdentifier(channel)
        let bound = NIOLoopBound(detector, eventLoop: channel.eventLoop)
        let isAway = state.withLock { state in
            state.connections[name] = Connection(channel: channel, detector: bound)
            return state.linkIsAway
        }
        if isAway, channel.needsLink { detector.linkChanged(isAway: true) }
        channel.closeFuture.whenComplete { [weak self] _ in
            _ = self?.state.withLock { $0.connections.removeValue(forKey: name) }
        }
    }

    func linkChanged(isAway: Bool) {
        let all = state.withLock { state in
            state.linkIsAway = isAway
            return Array(state.connections.values)
        }
        for connection in all where connection.channel.needsLink {
            connection.channel.eventLoop.execute { connection.detector.value.linkChanged(isAway: isAway) }
        }
    }

    func invalidate(because reason: ConnectionInvalidation) {
        let all = state.withLock { Array($0.connections.values) }
        let meant =
            switch reason {
            case .slept: all
            case .addressLost: Self.withoutAddress(all)
            }
        for connection in meant {
            connection.channel.eventLoop.execute { connection.detector.value.invalidate(because: reason) }
        }
    }

    /// Returns the connections whose local address this machine no longer has.
    private static func withoutAddress(_ all: [Connection]) -> [Connection] {
        guard !all.isEmpty, let devices = try? System.enumerateDevices() else { return [] }
        let own = Set(devices.compactMap { $0.address?.bareIPAddress })
        return all.filter { $0.channel.localAddress?.bareIPAddress.map { !own.contains($0) } ?? false }
    }
}

struct ConnectionAddressLost: Error {}

extension Channel {
    /// True if the connection leaves this machine.
    fileprivate var needsLink: Bool {
        remoteAddress?.bareIPAddress.map { !Reachability.isLocal(host: $0) } ?? false
    }
}

extension SocketAddress {
    /// The IP address without its zone, such as `%eth0`; nil for a Unix socket.
    fileprivate var bareIPAddress: String? {
        ipAddress.map { String($0.prefix { $0 != "%" }) }
    }
}
