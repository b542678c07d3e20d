public import FerryTransfer

/// Decides what becomes of a redirect.
public protocol RedirectHandler: Sendable {
    /// - Returns: The next request, usually `redirect.next`; nil to take the redirect itself as the answer.
    func request(after redirect: Redirect, for context: RequestContext) async -> TransportRequest?
}

/// The redirect handlers that come with the library. A chain of more than 5 is a circle and ends the request.
public struct Redirector: RedirectHandler {
    private let decide: @Sendable (Redirect) async -> TransportRequest?

    /// The default: redirects are followed within the server only, so that neither bytes nor credentials go where the
    /// caller did not send them. A request is repeated with its body after 307 and 308; after other redirects only a
    /// GET or HEAD follows.
    public static let withinServer = Redirector { $0.nextWithinServer }

    /// Follows every redirect, also to other servers, which get the body and no credentials; never from https to http,
    /// and never from elsewhere into a private network.
    public static let follow = Redirector { $0.losesEncryption || $0.leadsInside ? nil : $0.next }

    /// Takes every redirect as the answer.
    public static let refuse = Redirector { _ in nil }

    /// Follows with the request that `change` makes; nil takes the redirect as the answer.
    public static func modify(
        _ change: @escaping @Sendable (Redirect) async -> TransportRequest?
    ) -> Redirector { Redirector(decide: change) }

    public func request(after redirect: Redirect, for context: RequestContext) async -> TransportRequest? {
        await decide(redirect)
    }
}
