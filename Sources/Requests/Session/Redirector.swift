public import FerryTransfer

/// Decides how to treat a redirect.
public protocol RedirectHandler: Sendable {
    /// - Returns: The next request, usually `redirect.next`; nil to use the redirect itself as the response.
    func request(after redirect: Redirect, for context: RequestContext) async -> TransportRequest?
}

/// The redirect handlers of the library. A chain of more than 5 redirects counts as a loop and ends the request.
public struct Redirector: RedirectHandler {
    private let decide: @Sendable (Redirect) async -> TransportRequest?

    /// The default: redirects are followed within the server only, so that neither bytes nor credentials go to other
    /// servers than the caller's. A request is repeated with its body after 307 and 308; after other redirects only a
    /// GET or HEAD follows.
    public static let withinServer = Redirector { $0.nextWithinServer }

    /// Follows every redirect, also to other servers, which receive the body and no credentials; never from https to
    /// http, and never from outside into a private network.
    public static let follow = Redirector { $0.losesEncryption || $0.leadsInside ? nil : $0.next }

    /// Uses every redirect as the response.
    public static let refuse = Redirector { _ in nil }

    /// Follows with the request that `change` returns; nil uses the redirect as the response.
    public static func modify(
        _ change: @escaping @Sendable (Redirect) async -> TransportRequest?
    ) -> Redirector { Redirector(decide: change) }

    public func request(after redirect: Redirect, for context: RequestContext) async -> TransportRequest? {
        await decide(redirect)
    }
}
