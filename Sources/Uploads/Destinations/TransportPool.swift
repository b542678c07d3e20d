import FerryProtocols
import FerryTransfer
import Synchronization

/// The HTTP transports of a `DestinationRunner`, one for each connection configuration that is wanted or in use.
final class TransportPool: Sendable {
    private struct Entry {
        let transport: HTTPClientTransport
        var users = 0
    }

    private struct State {
        var entries: [HTTPClientTransport.Configuration: Entry] = [:]
        /// The configurations whose transports stay open; nil for all, before the first call of `keep`.
        var wanted: Set<HTTPClientTransport.Configuration>?
        var linkIsAway = false

        /// Returns the transport for a configuration, and counts one more user of it; nil if there is none.
        mutating func enter(_ configuration: HTTPClientTransport.Configuration) -> HTTPClientTransport? {
            entries[configuration]?.users += 1
            return entries[configuration]?.transport
        }

        mutating func takeUnwanted() -> [HTTPClientTransport] {
            guard let wanted else { return [] }
            let unwanted = entries.filter { $0.value.users == 0 && !wanted.contains($0.key) }
            for configuration in unwanted.keys { entries[configuration] = nil }
            return unwanted.values.map(\.transport)
        }
    }

    private let monitors: [any EventMonitor]
    private let reads: FileReads<[UInt8], UploadFailure>
    private let state = Mutex(State())

    init(monitors: [any EventMonitor], readers: BlockingIOPool = .shared) {
        self.monitors = monitors
        reads = FileReads(readers)
    }

    var all: [HTTPClientTransport] { state.withLock { $0.entries.values.map(\.transport) } }

    /// True while this machine has no network. All transports, also later ones, receive the value.
    var linkIsAway: Bool {
        get { state.withLock { $0.linkIsAway } }
        set {
            state.withLock { state in
                state.linkIsAway = newValue
                for entry in state.entries.values { entry.transport.linkChanged(isAway: newValue) }
            }
        }
    }

    /// Passes `body` the transport for this configuration, which stays open until `body` returns.
    func with<Result>(
        _ configuration: HTTPClientTransport.Configuration,
        _ body: (HTTPClientTransport) async throws(UploadFailure) -> Result
    ) async throws(UploadFailure) -> Result {
        let transport = try await enter(configuration)
        do throws(UploadFailure) {
            let result = try await body(transport)
            await leave(configuration)
            return result
        } catch {
            await leave(configuration)
            throw error
        }
    }

    private func enter(
        _ configuration: HTTPClientTransport.Configuration
    ) async throws(UploadFailure) -> HTTPClientTransport {
        if let known = state.withLock({ $0.enter(configuration) }) { return known }
        let files = try await TLSFiles(of: configuration.tls, by: reads)
        return try state.withLock { state throws(UploadFailure) in
            // Another task may have created the transport meanwhile.
            if let known = state.enter(configuration) { return known }
            let transport = try HTTPClientTransport(configuration, files: files, monitors: monitors)
            if state.linkIsAway { transport.linkChanged(isAway: true) }
            state.entries[configuration] = Entry(transport: transport, users: 1)
            return transport
        }
    }

    private func leave(_ configuration: HTTPClientTransport.Configuration) async {
        let unwanted = state.withLock { state in
            state.entries[configuration]?.users -= 1
            return state.takeUnwanted()
        }
        for transport in unwanted { await transport.shutdown() }
    }

    /// Shuts down the transports whose configurations are not in `wanted`, after their last requests. Returns at once.
    func keep(_ wanted: Set<HTTPClientTransport.Configuration>) {
        let unwanted = state.withLock { state in
            state.wanted = wanted
            return state.takeUnwanted()
        }
        guard !unwanted.isEmpty else { return }
        Task { for transport in unwanted { await transport.shutdown() } }
    }

    /// Closes all connections. `with` must not be called afterwards.
    func shutdown() async {
        let entries = state.withLock { state in
            defer { state.entries = [:] }
            return state.entries
        }
        for entry in entries.values { await entry.transport.shutdown() }
    }
}
