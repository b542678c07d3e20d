public import FerryProtocols
public import FerryTransfer
public import HTTPTypes

/// A named place that files go to, ready for use: what the configuration says, with its secrets behind closures.
public struct Destination: Sendable {
    /// The name in the configuration; empty for an address that somebody gave.
    public var name: String
    /// Absolute, `http`, `https` or `http+unix`, without user info.
    public var url: String
    /// A name from `ProtocolCatalog`.
    public var protocolName: String
    /// The options of the protocol.
    public var options: ProtocolOptions
    /// Sent with every request.
    public var fields: HTTPFields
    /// Form parameters or metadata of every upload; those of one upload come after them.
    public var parameters: [UploadItem.Parameter]
    /// Puts credentials on requests and renews them, for all uploads to this destination; nil sends none.
    public var interceptor: (any RequestInterceptor)?
    /// The settings for `https`.
    public var tls: TLSSettings
    /// The proxy on the way to its server.
    public var proxy: ProxySettings
    /// The congestion control of its connections; nil for the system's.
    public var congestionControl: CongestionControl?

    public init(
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

    /// A destination whose protocol is known to exist: one of Ferry's own, such as `.tus`, or one that was registered.
    /// With a name from outside use the other initializer; a name that is not in `ProtocolCatalog` fails each upload.
    public init(
        name: String, url: String, protocol entry: ProtocolCatalog.Entry,
        options: ProtocolOptions = ProtocolOptions(),
        fields: HTTPFields = [:], parameters: [UploadItem.Parameter] = [],
        interceptor: (any RequestInterceptor)? = nil, tls: TLSSettings = TLSSettings(),
        proxy: ProxySettings = .environment, congestionControl: CongestionControl? = nil
    ) {
        self.init(
            name: name, url: url, protocolName: entry.name, options: options, fields: fields,
            parameters: parameters, interceptor: interceptor, tls: tls, proxy: proxy,
            congestionControl: congestionControl)
    }

    /// Returns the target of a file, fixed when it is queued. The query of a configured address stays in the
    /// configuration: it may be a signature or a key, and the queue's files hold no secret.
    ///
    /// - Parameters:
    ///   - fields: Parameters of this upload alone.
    ///   - existing: What becomes of a file that is there; nil for what the destination says.
    public func target(
        name: String, fields: [UploadItem.Parameter] = [], existing: ExistingFilePolicy? = nil
    ) -> Upload.Target {
        Upload.Target(
            destination: self.name, url: self.name.isEmpty ? url : UploadAddress.withoutQuery(url),
            method: protocolName, name: name,
            fields: parameters + fields,
            existing: existing)
    }
}
