public import FerryProtocols
public import FerryTransfer
public import HTTPTypes

/// A server URL to which files are uploaded, with its protocol, header fields, credentials and connection settings.
public struct Destination: Sendable {
    /// The name in the configuration; empty if the user gave a URL instead of a name.
    public var name: String
    /// The absolute URL without user info. Its scheme is `http`, `https` or `http+unix`.
    public var url: String
    /// The protocol's name in `ProtocolCatalog`.
    public package(set) var protocolName: String
    /// The options of the protocol.
    public var options: ProtocolOptions
    /// The configured header fields that are added to each request to this destination.
    public var fields: HTTPFields
    /// The form parameters or metadata of every upload to this destination, before those of the single upload.
    public var parameters: [UploadItem.Parameter]
    /// The interceptor that adds and renews the credentials of requests; nil if they need none.
    public var interceptor: (any RequestInterceptor)?
    /// The TLS settings for `https` connections.
    public var tls: TLSSettings
    /// The proxy for connections to the destination's server.
    public var proxy: ProxySettings
    /// The congestion control of connections to the server; nil for the default of the operating system.
    public var congestionControl: CongestionControl?

    /// - Parameter protocolName: A name in `ProtocolCatalog`. With any other name, each upload fails.
    package init(
        name: String, url: String, protocolName: String, options: ProtocolOptions = ProtocolOptions(),
        fields: HTTPFields = [:], parameters: [UploadItem.Parameter] = [],
        interceptor: (any RequestInterceptor)? = nil, tls: TLSSettings = TLSSettings(),
        proxy: ProxySettings = .environment, congestionControl: CongestionControl? = nil
    ) {
        self.name = name
        self.url = url
        self.protocolName = protocolName
        self.options = options
        self.fields = fields
        self.parameters = parameters
        self.interceptor = interceptor
        self.tls = tls
        self.proxy = proxy
        self.congestionControl = congestionControl
    }

    /// Creates a destination with a built-in protocol such as `.tus`, or a registered one (`ProtocolCatalog`).
    public init(
        name: String, url: String, protocol entry: ProtocolCatalog.Entry,
        options: ProtocolOptions = ProtocolOptions()
    ) {
        self.init(name: name, url: url, protocolName: entry.name, options: options)
    }

    /// Returns the target of a new upload. If the destination has a name, the target's URL has no query: the query is
    /// possibly a secret, and the target is stored on disk. Without `existing`, the destination's policy applies.
    public func target(
        name: String, fields: [UploadItem.Parameter] = [], existing: ExistingFilePolicy? = nil
    ) -> Upload.Target {
        Upload.Target(
            destination: self.name, url: self.name.isEmpty ? url : UploadAddress.withoutQuery(url),
            protocolName: protocolName, name: name, fields: parameters + fields, existing: existing)
    }
}
