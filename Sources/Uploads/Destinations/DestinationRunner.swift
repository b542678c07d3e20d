public import Connectivity
public import Foundation
import Synchronization
public import Transfer
import UploadProtocols

/// Runs attempts for real: opens the file, finds the destination, speaks its protocol.
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
        var transports: [HTTPClientTransport.Configuration: HTTPClientTransport] = [:]
        var hosts: [HostKey: UploadHost] = [:]
        /// Those that have taken a file from us.
        var proven: Set<HostKey> = []
    }

    let destinations: [String: Destination]
    let capabilities: any CapabilityStore
    let abandoned: AbandonedUploads?
    let now: @Sendable () -> Date
    private let timeouts: HTTPClientTransport.Timeouts
    private let proxy: ProxySettings
    private let readers: FileReaders
    private let pace: RateLimit
    private let monitors: [any EventMonitor]
    let addressCredentials: @Sendable (Upload.Target) -> (any RequestInterceptor)?
    private let isLocal: @Sendable (String) -> Bool
    private let memory = Mutex(Memory())

    /// - Parameters:
    ///   - capabilities: What servers said they offer; asked again a day later.
    ///   - abandoned: Where it is written down what servers hold of uploads that were given up; nil forgets it.
    ///   - proxy: For uploads to an address that is no destination of the configuration.
    ///   - readers: The threads that wait for the media of the files.
    ///   - pace: The limits on bytes per second.
    ///   - addressCredentials: What puts credentials on uploads to an address that is no destination; asked at each
    ///     attempt.
    ///   - isLocal: Whether a host needs no network.
    ///   - now: By the wall clock.
    public init(
        destinations: [Destination], capabilities: any CapabilityStore = CapabilityMemory(),
        abandoned: AbandonedUploads? = nil, timeouts: HTTPClientTransport.Timeouts = .init(),
        proxy: ProxySettings = .environment, readers: FileReaders = .shared, pace: RateLimit,
        monitors: [any EventMonitor] = [],
        addressCredentials: @escaping @Sendable (Upload.Target) -> (any RequestInterceptor)? = { _ in nil },
        isLocal: @escaping @Sendable (String) -> Bool = { Reachability.isLocal(host: $0) },
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.capabilities = capabilities
        self.abandoned = abandoned
        self.addressCredentials = addressCredentials
        self.now = now
        self.isLocal = isLocal
        self.destinations = Dictionary(destinations.map { ($0.name, $0) }) { first, _ in first }
        self.timeouts = timeouts
        self.proxy = proxy
        self.readers = readers
        self.pace = pace
        self.monitors = monitors
    }

    /// Closes all connections. Nothing may be run afterwards.
    public func shutdown() async {
        for transport in memory.withLock({ Array($0.transports.values) }) { await transport.shutdown() }
        await abandoned?.flush()
    }

    public func doubtConnections(_ doubt: ConnectionDoubt) {
        for transport in memory.withLock({ Array($0.transports.values) }) {
            transport.doubtConnections(doubt)
        }
    }

    public func run(_ upload: Upload, recorder: any AttemptRecorder) async -> UploadAttempt.Outcome {
        do throws(UploadFailure) {
            let destination = try destination(of: upload)
            let uploadProtocol = try Self.uploadProtocol(for: upload, at: destination)
            let file = try await SourceFile.open(
                upload.path, queuedAs: upload.identity, readers: readers)
            let identity = file.recognized(upload.identity)
            let known = capabilities.capabilities(of: CapabilityPlace(upload.target))
            let attempt = UploadAttempt(
                session: try session(for: destination),
                server: server(of: upload, isKnown: known != nil), file: file, identity: identity,
                label: "\(upload.id)", pace: pace.pace(of: upload), recorder: recorder
            ) { [capabilities, now] found in
                capabilities.keep(found, of: CapabilityPlace(upload.target), at: now())
            }
            let outcome = await attempt.run(
                uploadProtocol, resource: upload.resource,
                capabilities: known.flatMap { $0.isFresh(at: now()) ? $0 : nil })
            if case .done = outcome { _ = memory.withLock { $0.proven.insert(HostKey(upload.target)) } }
            if case .failed(let failure) = outcome { return .failed(Self.reconsidered(failure)) }
            return outcome
        } catch {
            return Task.isCancelled ? .cancelled : .failed(Self.reconsidered(error))
        }
    }

    private func server(of upload: Upload, isKnown: Bool) -> UploadAttempt.Server {
        let isProven = memory.withLock { $0.proven.contains(HostKey(upload.target)) }
        let traits = ProtocolCatalog.entry(named: upload.resource?.choice?.name ?? upload.target.method)?
            .traits
        return UploadAttempt.Server(
            isKnown: isKnown || isProven || (upload.resource?.confirmed ?? 0) > 0,
            answersInPages: traits?.answersInPages ?? true)
    }

    /// What reads secrets, tokens and certificates says no more than that it could not. While nothing can be opened,
    /// that tells nothing of them.
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
            let host = findHost(of: upload.target)
            memory.hosts[key] = host
            return host
        }
    }

    private func findHost(of target: Upload.Target) -> UploadHost {
        let url = URL(string: target.url)
        let name = url?.host()?.lowercased() ?? ""
        let port = url?.port ?? (url?.scheme?.lowercased() == "https" ? 443 : 80)
        let settings = target.destination.isEmpty ? proxy : destinations[target.destination]?.proxy ?? .none
        // One that cannot be used is told when the upload runs.
        let proxy = (try? settings.proxy(for: target.url)) ?? nil
        return UploadHost(
            name: name, port: UInt16(exactly: port) ?? 0,
            isLocal: isLocal(name) && proxy.map { isLocal($0.host) } ?? true, proxy: proxy)
    }

    /// As the protocol's traits say: those of the chosen one, as far as one is known to have been chosen.
    public func resumes(_ upload: Upload) -> Bool {
        let chosen =
            upload.resource?.choice ?? capabilities.capabilities(of: CapabilityPlace(upload.target))?.choice
        // A link that is away ends what resumes and lets the rest try: the safe side for what is not known.
        if chosen == nil, upload.target.method == AutoUpload.name { return false }
        return ProtocolCatalog.entry(named: chosen?.name ?? upload.target.method)?.traits.resumes ?? false
    }

    /// The destination an upload was queued for; its address is the upload's own.
    func destination(of upload: Upload) throws(UploadFailure) -> Destination {
        let target = upload.target
        if target.destination.isEmpty {
            return Destination(
                name: "", url: target.url, protocolName: target.method,
                interceptor: addressCredentials(target), proxy: proxy)
        }
        guard let known = destinations[target.destination] else {
            throw UploadFailure(
                .permanent,
                "the destination \(target.destination) is not in the configuration that ferry was started with",
                hint:
                    "if it was added since, start ferry again (`ferry stop`), then retry; else put it back, or remove the upload"
            )
        }
        // Credentials go only where the configuration sends them now.
        guard let queued = URL(string: target.url).flatMap(UploadAddress.origin),
            queued == URL(string: known.url).flatMap(UploadAddress.origin)
        else {
            throw UploadFailure(
                .permanent,
                "the destination \(target.destination) now leads elsewhere than when this file was queued",
                hint: "add the file again, or put the old url back and retry")
        }
        return known
    }

    static func uploadProtocol(
        for upload: Upload, at destination: Destination
    ) throws(UploadFailure) -> any UploadProtocol {
        guard let entry = ProtocolCatalog.entry(named: upload.target.method) else {
            throw unknownProtocol(upload.target.method)
        }
        let item = UploadItem(
            url: UploadAddress.withQuery(of: destination.url, upload.target.url), name: upload.target.name,
            size: upload.size,
            contentType: MediaType.ofFile(named: upload.target.name),
            modified: Date(timeIntervalSince1970: Double(upload.identity.modified) / 1e9),
            key: upload.key,
            parameters: upload.target.fields.map { .init(name: $0.name, value: $0.value) })
        var options = destination.options
        options.existing = upload.target.existing ?? options.existing
        if let refusal = entry.refusal(of: options) { throw refusal }
        return entry.make(item, options)
    }

    func session(for destination: Destination) throws(UploadFailure) -> Session {
        Session(
            Session.Configuration(
                headers: destination.fields,
                interceptor: Interceptor(interceptors: [destination.interceptor].compactMap { $0 }),
                validation: .none, monitors: monitors),
            transport: try transport(for: destination))
    }

    /// One transport, and so one pool of connections, for all destinations that are reached alike.
    private func transport(for destination: Destination) throws(UploadFailure) -> HTTPClientTransport {
        let configuration = HTTPClientTransport.Configuration(
            timeouts: timeouts, tls: destination.tls, proxy: destination.proxy,
            congestionControl: destination.congestionControl)
        return try memory.withLock { memory throws(UploadFailure) in
            if let known = memory.transports[configuration] { return known }
            let made = try HTTPClientTransport(configuration, monitors: monitors)
            memory.transports[configuration] = made
            return made
        }
    }

    static func unknownProtocol(_ name: String) -> UploadFailure {
        UploadFailure(
            .permanent, "the protocol \(name) is not known",
            hint: "known are \(ProtocolCatalog.names.joined(separator: ", "))")
    }

    func keep(_ found: ServerCapabilities, of destination: Destination) {
        capabilities.keep(found, of: CapabilityPlace(destination), at: now())
    }
}
