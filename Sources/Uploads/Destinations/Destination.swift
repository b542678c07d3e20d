public import FerryProtocols
public import FerryTransfer
public import HTTPTypes

/// A named target of uploads, ready for use: the settings of the configuration, with its secrets behind closures.
public struct Destination: Sendable {
    /// The name in the configuration; empty for a URL that the user gave.
    public var name: String
    /// The absolute URL, `http`, `https` or `http+unix`, without user info.
    public var url: String
    /// The protocol's name in `ProtocolCatalog`.
    public var protocolName: String
    /// The options of the protocol.
    public var options: ProtocolOptions
    /// The header fields that every request carries.
    public var fields: HTTPFields
    /// The form parameters or metadata of every upload; the parameters of one upload follow them.
    public var parameters: [UploadItem.Parameter]
    /// The interceptor that adds credentials to requests and renews them, for all uploads to this destination; nil
    /// sends none.
    public var interceptor: (any RequestInterceptor)?
    /// The settings for `https`.
    public var tls: TLSSettings
    /// The proxy for connections to its server.
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

    /// Creates a destination whose protocol is known to exist: a built-in one such as `.tus`, or a registered one. For
    /// a name from outside, use the other initializer; a name that is not in `ProtocolCatalog` fails each upload.
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

    /// Returns the target of a file, fixed when the file is queued. The query of a configured URL stays in the
    /// configuration: it may be a signature or a key, and the queue's files contain no secret.
    ///
    /// - Parameters:
    ///   - fields: The parameters of this upload alone.
    ///   - existing: The policy for a file that exists on the server; nil for the destination's policy.
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
