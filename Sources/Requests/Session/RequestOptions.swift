public import FerryTransfer

/// The settings of one request that differ from its session's configuration.
public struct RequestOptions: Sendable {
    /// The name of the request in events and logs.
    public var label: String
    /// The interceptor after that of the session.
    public var interceptor: (any RequestInterceptor)?
    /// The validation of the response; nil for the session's validation.
    public var validation: ResponseValidation?
    /// The handler of redirects; nil for the session's handler.
    public var redirects: (any RedirectHandler)?
    /// The monitors beside those of the session.
    public var monitors: [any EventMonitor]
    /// The delegate, called for every write of this request's body.
    public var delegate: (any UploadDelegate)?
    /// The value of `Idempotency-Key` for every attempt, without quotes. With it, retriers can repeat even a POST.
    public var idempotencyKey: String?

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
