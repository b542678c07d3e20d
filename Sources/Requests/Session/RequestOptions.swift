public import FerryTransfer

/// The settings of one request that differ from its session's configuration.
public struct RequestOptions: Sendable {
    /// Names the request in events and logs.
    public var label: String
    /// Asked after the session's.
    public var interceptor: (any RequestInterceptor)?
    /// Instead of the session's.
    public var validation: ResponseValidation?
    /// Instead of the session's.
    public var redirects: (any RedirectHandler)?
    /// Told as well as the session's.
    public var monitors: [any EventMonitor]
    /// Told of every write of this request's body.
    public var delegate: (any UploadDelegate)?
    /// Sent as `Idempotency-Key`, the same on every attempt: a POST that has one may be repeated.
    public var idempotencyKey: String?

    /// - Parameters:
    ///   - interceptor: Asked after the session's.
    ///   - monitors: Told as well as the session's.
    ///   - idempotencyKey: Without quotes.
    public init(
        label: String = "", interceptor: (any RequestInterceptor)? = nil,
        validation: ResponseValidation? = nil, redirects: (any RedirectHandler)? = nil,
        monitors: [any EventMonitor] = [], delegate: (any UploadDelegate)? = nil,
        idempotencyKey: String? = nil
    ) {
        self.label = label
        self.interceptor = interceptor
        self.validation = validation
        self.redirects = redirects
        self.monitors = monitors
        self.delegate = delegate
        self.idempotencyKey = idempotencyKey
    }
}
