public import FerryConnectivity
import FerryProtocols
public import FerryTransfer
import Synchronization

/// Runs attempts at uploads: finds the destination of an upload, opens the file, and sends it by the upload's protocol.
public final class DestinationRunner: AttemptRunner {
    private struct HostKey: Hashable {
        var destination: String
        var url: String

        init(_ target: Upload.Target) {
            destination = target.destination
            url = target.url
        }
    }

    private struct Memory {
        var destinations: Destinations
        /// A cache for `host(of:)`: the host of each target. It is cleared when the destinations change.
        var hosts: [HostKey: UploadHost] = [:]
        /// The targets to which this process has completed an upload: the server itself responds there.
        var proven: Set<HostKey> = []
        /// The times at which a target responded with a web page that possibly comes from a captive portal.
        var pages: [HostKey: PersistentPage] = [:]
    }

    let capabilities: any CapabilityStore
    let abandoned: AbandonedUploads?
    let now: @Sendable () -> Date
    private let readers: BlockingIOPool
    private let rateLimit: RateLimit
    private let monitors: [any EventMonitor]
    private let transports: TransportPool
    private let isLocal: @Sendable (String) -> Bool
    private let memory: Mutex<Memory>

    /// Creates a runner with the default timeouts. `proxy` is that of uploads that name a URL instead of a destination.
    public convenience init(
        destinations: [Destination], capabilities: any CapabilityStore = CapabilityMemory(),
        abandoned: AbandonedUploads? = nil, proxy: ProxySettings = .environment, rateLimit: RateLimit,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(
            Destinations(destinations, proxy: proxy), capabilities: capabilities, abandoned: abandoned,
            rateLimit: rateLimit, now: now)
    }

    /// - Parameters:
    ///   - abandoned: The list of uploads whose bytes servers possibly still store; nil to record none.
    ///   - readers: The threads that open and read files. A slow volume delays only these threads.
    ///   - isLocal: Returns whether a host can be reached without a network, such as `localhost`.
    public init(
        _ destinations: Destinations, capabilities: any CapabilityStore = CapabilityMemory(),
        abandoned: AbandonedUploads? = nil, readers: BlockingIOPool = .shared, rateLimit: RateLimit,
        monitors: [any EventMonitor] = [],
        isLocal: @escaping @Sendable (String) -> Bool = { Reachability.isLocal(host: $0) },
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.capabilities = capabilities
        self.abandoned = abandoned
        self.now = now
        self.isLocal = isLocal
        self.readers = readers
        self.rateLimit = rateLimit
        self.monitors = monitors
        transports = TransportPool(monitors: monitors)
        memory = Mutex(Memory(destinations: destinations))
    }

    /// The destinations for attempts that begin from now on. Connections that none of them uses are closed after use.
    public var destinations: Destinations {
        get { memory.withLock { $0.destinations } }
        set {
            memory.withLock { memory in
                memory.destinations = newValue
                memory.hosts = [:]
            }
            transports.keep(newValue.connections)
        }
    }

    /// Closes all connections, and writes the list of abandoned uploads. No attempt may run after this call.
    public func shutdown() async {
        await transports.shutdown()
        await abandoned?.flush()
    }

    public func invalidateConnections(because reason: ConnectionInvalidation) {
        for transport in transports.all { transport.invalidateConnections(because: reason) }
    }

    public func linkChanged(isAway: Bool) { transports.linkIsAway = isAway }

    public func run(
        _ upload: Upload, recorder: any AttemptRecorder
    ) async -> Redacted<UploadAttempt.Outcome> {
        do throws(UploadFailure) {
            let destinations = destinations
            let destination = try destinations.destination(for: upload.target)
            let uploadProtocol = try Self.uploadProtocol(for: upload, at: destination)
            let file = try await SourceFile.open(
                upload.path, queuedAs: upload.identity, readers: readers, readsSmall: true)
            let identity = file.recognized(upload.identity)
            let known = capabilities.capabilities(of: CapabilityKey(upload.target))
            let serverKey = CapabilityKey(ofServer: upload.target)
            let server = server(of: upload, isKnown: known != nil, capabilities.capabilities(of: serverKey))
            let query = KeptQuery(of: destination.url)
            let outcome = try await withSender(
                for: destination, of: destinations, sending: upload.target.fields
            ) { sender in
                let attempt = UploadAttempt(
                    sender: sender, server: server, file: file, identity: identity,
                    label: "\(upload.id)", rateLimiter: rateLimit.limiter(of: upload),
                    recorder: recorder, storedForm: { query.removed(from: $0) },
                    plainTexts: upload.target.plainTexts,
                    recognize: { [capabilities, now] software in
                        capabilities.recognize(software, at: serverKey, now: now())
                    }
                ) { [capabilities, now] found in
                    capabilities.keep(found, of: CapabilityKey(upload.target), at: now())
                }
                return await attempt.run(
                    uploadProtocol, resource: upload.resource.map(query.restored),
                    capabilities: known.flatMap { $0.isFresh(at: now()) ? $0 : nil })
            }
            remember(outcome.value, of: HostKey(upload.target))
            return outcome.map { outcome in
                switch outcome {
                case .done(let receipt): .done(query.removed(from: receipt))
                case .failed(let failure): .failed(Self.reconsidered(failure))
                case .cancelled: .cancelled
                }
            }
        } catch {
            return Redacted(Task.isCancelled ? .cancelled : .failed(Self.reconsidered(error)))
        }
    }

    private func remember(_ outcome: UploadAttempt.Outcome, of key: HostKey) {
        memory.withLock { memory in
            switch outcome {
            case .done:
                memory.proven.insert(key)
                memory.pages[key] = nil
            case .failed(let failure) where failure.category == .signInPage:
                let now = now()
                memory.pages[key, default: PersistentPage(at: now)].returned(at: now)
            case .failed(let failure):
                // A network error has no HTTP status, and does not show whether a captive portal responds.
                guard failure.status != nil, var page = memory.pages[key] else { break }
                let now = now()
                let isServers = page.isServers(at: now)
                page.returned(at: now)
                memory.pages[key] = isServers ? page : nil
            case .cancelled: break
            }
        }
    }

    /// The number of sent bytes that shows that the server receives them: a captive portal would hardly accept so many.
    private static let tellingBytes: ByteCount = 256 << 10

    private func server(
        of upload: Upload, isKnown: Bool, _ recognized: ServerCapabilities?
    ) -> UploadAttempt.Server {
        let (isProven, page) = memory.withLock {
            ($0.proven.contains(HostKey(upload.target)), $0.pages[HostKey(upload.target)])
        }
        let name = upload.resource?.choice?.name ?? upload.target.protocolName
        return UploadAttempt.Server(
            isKnown: isKnown || isProven || recognized != nil || (upload.resource?.confirmed ?? 0) > 0
                || upload.tries.sent + upload.tries.resent >= Self.tellingBytes,
            respondsWithPages: ProtocolCatalog.entry(named: name)?.traits.respondsWithPages ?? true,
            software: recognized.map { Set($0.facts.keys) },
            isTakenAtWord: page?.isServers(at: now()) ?? false,
            // A protocol with a resource can ask the server for the outcome.
            mayEndWithPage: upload.tries.acceptsPage && upload.resource == nil)
    }

    /// Returns a failure for the lack of file descriptors if that is the possible cause of `failure`.
    private static func reconsidered(_ failure: UploadFailure) -> UploadFailure {
        guard failure.status == nil, [.authentication, .permanent].contains(failure.category),
            DescriptorLimit.isReached
        else { return failure }
        return .noDescriptor(for: failure.summary)
    }

    public func host(of upload: Upload) -> UploadHost {
        memory.withLock { memory in
            let key = HostKey(upload.target)
            if let known = memory.hosts[key] { return known }
            let url = URL(string: key.url)
            let name = url?.host()?.lowercased() ?? ""
            let port = url?.port ?? (url?.scheme?.lowercased() == "https" ? 443 : 80)
            // An invalid proxy setting counts as no proxy here. The upload reports the error when it runs.
            let proxy = (try? memory.destinations.proxy(for: upload.target).proxy(for: key.url)) ?? nil
            let host = UploadHost(
                name: name, port: UInt16(exactly: port) ?? 0,
                isLocal: isLocal(name) && proxy.map { isLocal($0.host) } ?? true, proxy: proxy)
            memory.hosts[key] = host
            return host
        }
    }

    /// Returns whether the upload's protocol can resume. False if the protocol `auto` has not chosen another one yet.
    public func resumes(_ upload: Upload) -> Bool {
        let chosen =
            upload.resource?.choice ?? capabilities.capabilities(of: CapabilityKey(upload.target))?.choice
        // When the network is lost, the queue stops the attempts that can resume. So false is safe here.
        if chosen == nil, upload.target.protocolName == AutoUpload.name { return false }
        return ProtocolCatalog.entry(named: chosen?.name ?? upload.target.protocolName)?.traits.resumes
            ?? false
    }

    static func uploadProtocol(
        for upload: Upload, at destination: Destination
    ) throws(UploadFailure) -> any UploadProtocol {
        let entry = try entry(named: upload.target.protocolName)
        let item = UploadItem(
            url: UploadAddress.withQuery(of: destination.url, upload.target.url), name: upload.target.name,
            size: upload.size, contentType: MediaType.ofFile(named: upload.target.name),
            modified: Date(timeIntervalSince1970: Double(upload.identity.modified) / 1e9),
            key: upload.key, parameters: upload.target.fields)
        var options = destination.options
        options.existing = upload.target.existing ?? options.existing
        if let refusal = entry.refusal(of: options) { throw refusal }
        return entry.make(item, options)
    }

    /// Passes `body` a sender of requests, and removes secrets from errors, also those in `parameters`.
    func withSender<Result>(
        for destination: Destination, of destinations: Destinations? = nil,
        sending parameters: [Upload.Target.Field] = [],
        _ body: (RequestSender) async throws(UploadFailure) -> Result
    ) async throws(UploadFailure) -> Result {
        let connections = (destinations ?? self.destinations).connections(to: destination)
        return try await transports.with(connections) { transport throws(UploadFailure) in
            var sender = RequestSender(
                over: transport, headers: destination.fields,
                interceptor: Interceptor(interceptors: [destination.interceptor].compactMap { $0 }),
                monitors: monitors, secrets: destination.secrets(among: parameters),
                possibleSecrets: destination.possibleSecrets)
            // A resumed upload sends no request to the configured URL, whose query is a secret.
            sender.addSecrets(ofURL: destination.url, fields: await destination.proxyFields)
            do throws(UploadFailure) { return try await body(sender) } catch {
                throw sender.secrets.cut(from: error)
            }
        }
    }

    static func entry(named name: String) throws(UploadFailure) -> ProtocolCatalog.Entry {
        guard let entry = ProtocolCatalog.entry(named: name) else {
            throw UploadFailure(
                .permanent, "the protocol \(name) is not known",
                hint: "known are \(ProtocolCatalog.names.joined(separator: ", "))")
        }
        return entry
    }
}
