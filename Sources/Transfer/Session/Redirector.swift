import FerryProtocols
import Foundation
import HTTPTypes

/// An answer that sends the request elsewhere.
public struct Redirect: Sendable {
    /// As it was sent.
    public let request: TransportRequest
    /// Status 301, 302, 303, 307 or 308.
    public let response: TransportResponse
    /// Where to, absolute.
    public let url: String
    /// True if that is the same scheme, host and port.
    public let staysAtServer: Bool

    /// As the caller asked for them, without what adapters made of them.
    private let asked: HTTPFields

    /// - Returns: nil if the answer is no redirect, or its `Location` leads nowhere that a request can be sent to. What
    ///   the network says never leads to a socket of this machine, nor what stands behind a socket out of it.
    init?(_ response: TransportResponse, to request: TransportRequest, asked: HTTPFields) {
        guard [301, 302, 303, 307, 308].contains(response.status),
            let url = response.fields[.location].flatMap({ UploadAddress.absolute($0, against: request.url) }
            ),
            UploadAddress.expectation(brokenBy: url.absoluteString) == nil
        else { return nil }
        self.request = request
        self.response = response
        self.asked = asked
        self.url = url.absoluteString
        staysAtServer = UploadAddress.origin(url) == URL(string: request.url).flatMap(UploadAddress.origin)
        let isAtSocket = [request.url, self.url].contains(where: UploadAddress.isUnixSocket)
        guard staysAtServer || !isAtSocket else { return nil }
    }

    /// What RFC 9110 §15.4 makes of the request: the same again with its whole body after 307 and 308; after 303 a
    /// GET, and after 301 and 302 too if it was a POST, as everybody does it. Another server gets no credentials, and
    /// nothing that an adapter added.
    public var next: TransportRequest {
        var next = request
        next.url = url
        let becomesGet =
            response.status == 303 && request.method != .head
            || [301, 302].contains(response.status) && request.method == .post
        if becomesGet {
            next.method = .get
            next.body = .none
            next.isRepeatable = true
            next.fields = HTTPFields(next.fields.filter { !$0.name.canonicalName.hasPrefix("content-") })
        }
        if !staysAtServer {
            next.fields = HTTPFields(
                next.fields.filter {
                    !Redaction.holdsSecret($0.name) && asked[values: $0.name].contains($0.value)
                })
        }
        return next
    }

    /// True if a server outside sends the request to this machine or into a private network, by its address.
    var leadsInside: Bool {
        guard let from = URL(string: request.url), let target = URL(string: url) else { return false }
        return UploadAddress.leadsInside(target, from: from)
    }

    /// True if what went encrypted would go in the clear.
    var losesEncryption: Bool {
        let isEncrypted: (String) -> Bool = { $0.lowercased().hasPrefix("https") }
        return isEncrypted(request.url) && !isEncrypted(url)
    }
}

/// Decides what becomes of a redirect.
public protocol RedirectHandler: Sendable {
    /// - Returns: The next request, usually `redirect.next`; nil to take the redirect itself as the answer.
    func request(after redirect: Redirect, for context: RequestContext) async -> TransportRequest?
}

/// The redirect handlers that come with the library. A chain of more than 5 is a circle and ends the request.
public struct Redirector: RedirectHandler {
    private let decide: @Sendable (Redirect) async -> TransportRequest?

    /// Repeats a request with its body within the server (307, 308), and follows the rest within the server if it is a
    /// GET or HEAD: neither bytes nor credentials go where the caller did not send them. The default.
    public static let withinServer = Redirector { redirect in
        guard redirect.staysAtServer else { return nil }
        let isRepeated = [307, 308].contains(redirect.response.status)
        return isRepeated || [.get, .head].contains(redirect.request.method) ? redirect.next : nil
    }

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
