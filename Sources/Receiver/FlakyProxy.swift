import NIOCore
import NIOPosix

/// A TCP proxy on loopback that simulates a bad network link, for demonstrations and tests.
public actor FlakyProxy {
    private enum State {
        case stopped
        case listening(any Channel, port: Int)
        case away(port: Int)
    }

    private static let host = "127.0.0.1"

    private let target: ReceiverAddress
    private let cutEvery: Duration?
    private var generator: SplitMix
    private var state = State.stopped
    private let links = ProxyLinks()

    /// - Parameters:
    ///   - cutEvery: The mean time between two resets of all connections; nil to reset only in `takeLinkAway`.
    ///   - seed: The seed of the random delays, which are 0.5 to 1.5 times `cutEvery`. The same seed gives the same
    ///     delays.
    public init(target: ReceiverAddress, cutEvery: Duration? = nil, seed: UInt64 = 1) {
        self.target = target
        self.cutEvery = cutEvery
        generator = SplitMix(state: seed)
    }

    /// Accepts connections and forwards them to the target until the task is cancelled, unless the proxy runs already.
    /// - Parameter onStart: Called with the address of the proxy once it accepts connections.
    /// - Throws: `ReceiverError.cannotListen`.
    public func run(onStart: @Sendable (ReceiverAddress) -> Void = { _ in }) async throws {
        guard case .stopped = state else { return }
        do {
            let listener = try await listen(port: 0)
            let port = listener.localAddress?.port ?? 0
            state = .listening(listener, port: port)
            onStart(ReceiverAddress(host: Self.host, port: port))
        } catch {
            throw ReceiverError.cannotListen(host: Self.host, port: 0, reason: "\(error)")
        }
        while !Task.isCancelled {
            guard (try? await Task.sleep(for: nextWait())) != nil else { break }
            if cutEvery != nil { links.cut() }
        }
        if case .listening(let listener, _) = state { try? await listener.close() }
        state = .stopped
        links.cut()
    }

    /// Resets every open connection, and refuses new ones until `giveLinkBack` is called. Does nothing if the proxy
    /// accepts no connections at the moment.
    public func takeLinkAway() async {
        guard case .listening(let listener, let port) = state else { return }
        state = .away(port: port)
        try? await listener.close()
        links.cut()
    }

    /// Accepts connections again after `takeLinkAway`, at the same address. Otherwise does nothing.
    /// - Throws: `ReceiverError.portInUse` if the proxy cannot listen on its port again.
    public func giveLinkBack() async throws(ReceiverError) {
        guard case .away(let port) = state else { return }
        do {
            let listener = try await listen(port: port)
            guard case .away = state else {
                try? await listener.close()
                return
            }
            state = .listening(listener, port: port)
        } catch {
            throw .portInUse(host: Self.host, port: port)
        }
    }

    private func nextWait() -> Duration {
        guard let cutEvery else { return .seconds(3600) }
        return cutEvery * Double.random(in: 0.5...1.5, using: &generator)
    }

    private func listen(port: Int) async throws -> any Channel {
        let (target, links) = (target, links)
        return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            // Does not read from the client before the connection to the target exists.
            .childChannelOption(ChannelOptions.autoRead, value: false)
            .childChannelInitializer { client in
                links.add(client)
                return ClientBootstrap(group: client.eventLoop)
                    .channelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
                    .channelOption(ChannelOptions.autoRead, value: false)
                    .connect(host: target.host, port: target.port)
                    .flatMapThrowing { server in
                        links.add(server)
                        let ends = ProxyEnd.pair()
                        try server.pipeline.syncOperations.addHandler(ends.1)
                        try client.pipeline.syncOperations.addHandler(ends.0)
                    }
            }
            .bind(host: Self.host, port: port).get()
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
