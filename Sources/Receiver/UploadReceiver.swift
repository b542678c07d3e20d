import FerryFiles
import NIOCore
import NIOSSL

/// An HTTP server that stores uploads in a folder: by `PUT /NAME`, by `POST /` with a file or a form, by tus 1.0 at
/// `/files/`, and by the IETF draft for resumable uploads.
///
/// A client gets the response after the file is on disk. No other receiver can use the folder meanwhile.
public final class UploadReceiver: Sendable {
    private let responder: Responder
    private let tls: NIOSSLContext?
    /// The token that this receiver or an earlier run created; nil if `makesToken` is false or a token is configured.
    public let token: ReceiverToken?

    /// Opens the folder and checks the configuration.
    /// - Parameter report: Called for each event, from any thread, and in sequence for one upload. It must not block.
    /// - Throws: `.tokenNeeded`, `.tokenTooShort`, `.directory`, `.workFolder`, `.directoryInUse`, `.file`.
    public convenience init(
        _ configuration: ReceiverConfiguration, report: @escaping @Sendable (ReceiverEvent) -> Void = { _ in }
    ) throws(ReceiverError) {
        try self.init(configuration, now: { Date.now }, report: report)
    }

    init(
        _ configuration: ReceiverConfiguration, now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (ReceiverEvent) -> Void = { _ in }
    ) throws(ReceiverError) {
        let given = configuration.token.flatMap { $0.isEmpty ? nil : $0 }
        if let given, given.utf8.count < Authorizer.shortestToken {
            throw .tokenTooShort(minimum: Authorizer.shortestToken)
        }
        guard given != nil || configuration.makesToken || Authorizer.isLoopback(configuration.host) else {
            throw .tokenNeeded(host: configuration.host)
        }
        tls = try configuration.tls?.context()
        let metrics = ReceiverMetrics(quota: configuration.limits.quota, report: report)
        let uploadStore = try UploadStore(
            directory: configuration.directory, overwrite: configuration.overwrite, quota: metrics.quota)
        let store: TusStore
        do throws(SystemCallError) {
            store = try TusStore(configuration, uploadStore, metrics, now: now)
        } catch {
            throw .directory(configuration.directory, reason: error.reason)
        }
        token =
            given == nil && configuration.makesToken
            ? try TokenFile.token(in: uploadStore, directory: configuration.directory) : nil
        let rate = configuration.bytesPerSecond.map(ReceiveRate.init(bytesPerSecond:))
        responder = Responder(
            uploadStore: uploadStore, tus: store,
            authorizer: Authorizer(
                token: given ?? token?.text,
                names: configuration.allowedHosts.union([configuration.host])),
            clients: ClientTable(
                perClient: configuration.limits.connectionsPerClient, total: configuration.limits.connections),
            lists: ByteQuota(limit: configuration.limits.listBytes),
            metrics: metrics, bodyReceiver: BodyReceiver(metrics: metrics, rate: rate),
            configuration: configuration)
    }

    /// Returns the numbers of stored bytes, finished uploads and refusals since the receiver was created.
    public func statistics() -> ReceiverStatistics { responder.metrics.statistics }

    /// Serves requests until the task is cancelled. The bytes of unfinished resumable uploads stay in the folder.
    /// - Parameter onStart: Called with the receiver's address once connections are accepted.
    /// - Throws: `ReceiverError.portInUse`, `.cannotListen`.
    public func run(onStart: @escaping @Sendable (ReceiverAddress) -> Void = { _ in }) async throws {
        let (store, host, isSecure) = (responder.tus, responder.configuration.host, tls != nil)
        let server = HTTPServer(tls: tls, responder: responder)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await server.run {
                        onStart(ReceiverAddress(host: host, port: $0, isSecure: isSecure))
                    }
                }
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

    private func translated(_ error: any Error) -> ReceiverError {
        let (host, port) = (responder.configuration.host, responder.configuration.port)
        guard let code = (error as? IOError).map({ Errno(rawValue: $0.errnoCode) }) else {
            return .cannotListen(host: host, port: port, reason: "\(error)")
        }
        if code == .addressInUse { return .portInUse(host: host, port: port) }
        return .cannotListen(host: host, port: port, reason: code.description)
    }
}
