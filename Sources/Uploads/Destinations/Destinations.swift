import FerryProtocols
public import FerryTransfer

/// The configured destinations and the settings of their connections, as an attempt finds them when it begins.
public struct Destinations: Sendable {
    /// The destinations by name.
    public var named: [String: Destination]
    /// The timeouts of all connections.
    public var timeouts: HTTPClientTransport.Timeouts
    /// The proxy for uploads that name a URL instead of a configured destination.
    public var proxy: ProxySettings
    /// Returns the credentials for an upload that names a URL instead of a configured destination, at each attempt.
    public var addressCredentials: @Sendable (Upload.Target) -> (any RequestInterceptor)?

    /// - Parameter destinations: If several have the same name, the first of them is used.
    public init(
        _ destinations: [Destination], timeouts: HTTPClientTransport.Timeouts = .init(),
        proxy: ProxySettings = .environment,
        addressCredentials: @escaping @Sendable (Upload.Target) -> (any RequestInterceptor)? = { _ in nil }
    ) {
        named = Dictionary(destinations.map { ($0.name, $0) }) { first, _ in first }
        self.timeouts = timeouts
        self.proxy = proxy
        self.addressCredentials = addressCredentials
    }

    /// Returns whether an upload to `target` can run: its destination is configured, and has the same origin.
    public func take(_ target: Upload.Target) -> Bool { (try? destination(for: target)) != nil }
}

extension Destinations {
    /// Returns the destination of a target. Throws `destinationChanged` if there is none, or none of the same origin.
    func destination(for target: Upload.Target) throws(UploadFailure) -> Destination {
        if target.destination.isEmpty {
            var options = ProtocolOptions()
            options.isGivenAddress = true
            return Destination(
                name: "", url: target.url, protocolName: target.protocolName, options: options,
                interceptor: addressCredentials(target), proxy: proxy)
        }
        guard let known = named[target.destination] else {
            throw .unknownDestination(target.destination)
        }
        // Credentials must be sent only to the server that the configuration names now.
        guard UploadAddress.haveSameOrigin(target.url, known.url) else {
            throw .movedDestination(target.destination)
        }
        return known
    }

    func proxy(for target: Upload.Target) -> ProxySettings {
        target.destination.isEmpty ? proxy : named[target.destination]?.proxy ?? .none
    }

    func connections(to destination: Destination) -> HTTPClientTransport.Configuration {
        connections(
            proxy: destination.proxy, tls: destination.tls, congestionControl: destination.congestionControl)
    }

    private func connections(
        proxy: ProxySettings, tls: TLSSettings = TLSSettings(), congestionControl: CongestionControl? = nil
    ) -> HTTPClientTransport.Configuration {
        HTTPClientTransport.Configuration(
            timeouts: timeouts, tls: tls, proxy: proxy, congestionControl: congestionControl,
            connectionsPerOrigin: QueueSettings.slotCounts.upperBound)
    }

    /// The connection settings of all destinations, and of uploads that name a URL instead.
    var connections: Set<HTTPClientTransport.Configuration> {
        Set(named.values.map { connections(to: $0) } + [connections(proxy: proxy)])
    }
}

extension UploadFailure {
    static func unknownDestination(_ name: String) -> UploadFailure {
        UploadFailure(
            .destinationChanged, "there is no destination \(name)",
            hint: "add it to destinations, reload them and retry; or remove the upload")
    }

    static func movedDestination(_ name: String) -> UploadFailure {
        UploadFailure(
            .destinationChanged, "the destination \(name) now leads elsewhere than when this file was queued",
            hint: "add the file again; or set the old url, reload destinations and retry")
    }
}

extension Upload {
    /// True if the upload failed because its destination is no longer configured, or leads to another server now.
    public var failedForItsDestination: Bool {
        guard case .failed(let failure) = state else { return false }
        return failure.category == .destinationChanged
    }

    /// True if the upload failed or is held because the server rejected the credentials, or a secret was missing.
    public var needsSignIn: Bool {
        switch state {
        case .failed(let failure), .held(let failure): failure.category == .authentication
        case .queued, .running, .waiting, .paused, .done: false
        }
    }
}
