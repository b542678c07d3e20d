import Foundation
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix

/// An HTTP server that takes uploads into a folder: `PUT /NAME`, `POST /` with the file or a form, either of a file
/// also as a resumable upload of the IETF, and tus 1.0 at `/files/`.
///
/// Nothing is answered "done" before it is on disk under its name, and nothing stored is replaced unless the
/// configuration says so. The folder belongs to this receiver until it is released.
public final class UploadReceiver: Sendable {
    private let configuration: ReceiverConfiguration
    private let responder: Responder
    private let ledger: Ledger
    private let store: TusStore

    /// - Parameter report: Called for each event, in order for each upload, from any thread. Must not block.
    /// - Throws: `.tokenNeeded`, `.directory`, `.directoryInUse`.
    public convenience init(
        _ configuration: ReceiverConfiguration, report: @escaping @Sendable (ReceiverEvent) -> Void = { _ in }
    ) throws(ReceiverError) {
        try self.init(configuration, now: { Date.now }, report: report)
    }

    init(
        _ configuration: ReceiverConfiguration, now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (ReceiverEvent) -> Void = { _ in }
    ) throws(ReceiverError) {
        let hasToken = configuration.token.map { !$0.isEmpty } ?? false
        guard hasToken || Access.isLoopback(configuration.host) else {
            throw .tokenNeeded(host: configuration.host)
        }
        self.configuration = configuration
        ledger = Ledger(quota: configuration.limits.quota, report: report)
        do throws(SystemError) {
            let inbox = try Inbox(directory: configuration.directory, overwrite: configuration.overwrite)
            store = try TusStore(
                inbox: inbox, expiry: configuration.expiry, limit: configuration.limits.uploads,
                ledger: ledger, now: now)
        } catch {
            if error.call == "flock", error.code == EWOULDBLOCK {
                throw .directoryInUse(configuration.directory)
            }
            throw .directory(configuration.directory, reason: error.reason)
        }
        let rate = configuration.bytesPerSecond.map(ReceiveRate.init(bytesPerSecond:))
        responder = Responder(
            inbox: store.inbox, tus: store,
            access: Access(
                token: hasToken ? configuration.token : nil,
                names: configuration.allowedHosts.union([configuration.host])),
            ledger: ledger, reception: Reception(ledger: ledger, rate: rate),
            maximumSize: configuration.maximumSize, allowDownload: configuration.allowDownload)
    }

    /// What was received so far, by `run` as it goes on.
    public func statistics() -> ReceiverStatistics { ledger.statistics }

    /// Serves until the task is cancelled; then keeps what has come of each upload, and returns.
    /// - Parameter onStart: Called once connections are accepted.
    /// - Throws: `ReceiverError.portInUse`, `.cannotListen`.
    public func run(onStart: @escaping @Sendable (ReceiverAddress) -> Void = { _ in }) async throws {
        let store = store
        let server = makeServer(onStart: onStart)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run() }
                group.addTask {
                    while !Task.isCancelled {
                        try await Task.sleep(for: .seconds(60))
                        await store.expire()
                    }
                }
                try await group.next()
                group.cancelAll()
            }
        } catch {
            if Task.isCancelled { return }
            throw translated(error)
        }
    }

    private func makeServer(
        onStart: @escaping @Sendable (ReceiverAddress) -> Void
    ) -> Server<ConnectionServing> {
        let (limits, host, responder) = (configuration.limits, configuration.host, responder)
        let isRateLimited = configuration.bytesPerSecond != nil
        let logger = Logger(label: "ferry.receiver") { _ in SwiftLogNoOpLogHandler() }
        return Server(
            childChannelSetup: ConnectionServing(
                http: HTTP1Channel(
                    responder: { try await responder.respond($0, $1, $2) },
                    configuration: HTTP1Channel.Configuration(
                        additionalChannelHandlers: [
                            ConnectionSetup(headerTime: limits.headerTime, isRateLimited: isRateLimited)
                        ],
                        idleTimeout: TimeAmount(limits.idleTime)))),
            configuration: ServerConfiguration(
                address: .hostname(host, port: configuration.port),
                availableConnectionsDelegate: .maximum(limits.connections, logger: logger)),
            onServerRunning: { channel in
                onStart(ReceiverAddress(host: host, port: channel.localAddress?.port ?? 0))
            },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
    }

    private func translated(_ error: any Error) -> ReceiverError {
        let (host, port) = (configuration.host, configuration.port)
        guard let code = (error as? IOError)?.errnoCode else {
            return .cannotListen(host: host, port: port, reason: "\(error)")
        }
        if code == EADDRINUSE { return .portInUse(host: host, port: port) }
        return .cannotListen(host: host, port: port, reason: String(cString: strerror(code)))
    }
}
