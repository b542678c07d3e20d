public import FerryTransfer

/// Decides how to treat a redirect.
public protocol RedirectHandler: Sendable {
    /// Returns the next request, usually `redirect.next`; nil if the redirect is the response.
    func request(after redirect: Redirect, for context: RequestContext) async -> TransportRequest?
}

/// The redirect handlers of the library. A chain of more than 5 redirects counts as a loop, and the request fails.
public struct Redirector: RedirectHandler {
    private let decide: @Sendable (Redirect) async -> TransportRequest?

    /// The default: a redirect is followed only if it stays on the server, so that no other server receives the body or
    /// the credentials. After 307 and 308, the body is sent again; other redirects are followed for GET and HEAD.
    public static let withinServer = Redirector { $0.nextWithinServer }

    /// Follows redirects to any server, with the body and without credentials, but not from https to http, and not from
    /// an external server to this machine or a private network.
    public static let follow = Redirector { $0.losesEncryption || $0.leadsInside ? nil : $0.next }

    /// Follows no redirect: each redirect becomes the response.
    public static let refuse = Redirector { _ in nil }

    /// Returns a handler that follows a redirect with the request that `change` returns.
    public static func modify(
        _ change: @escaping @Sendable (Redirect) async -> TransportRequest?
    ) -> Redirector { Redirector(decide: change) }

    public func request(after redirect: Redirect, for context: RequestContext) async -> TransportRequest? {
        await decide(redirect)
    }
}
