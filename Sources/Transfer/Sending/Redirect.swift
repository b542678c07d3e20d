import FerryProtocols
import HTTPTypes

/// A response that redirects the request.
public struct Redirect: Sendable {
    /// The request as it was sent.
    public let request: TransportRequest
    /// The response, with the status 301, 302, 303, 307 or 308.
    public let response: TransportResponse
    /// The absolute URL of the target.
    public let url: String
    /// True if the target has the same scheme, host and port as `request`.
    public let staysAtServer: Bool

    /// The header fields that the request had before the adapters changed it.
    private let asked: HTTPFields

    /// - Returns: nil if the response is no redirect to a valid URL, or leads from or to a Unix socket here.
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

    /// The request to send after the redirect (RFC 9110 §15.4): `request` with the new URL.
    ///
    /// After 303, and after 301 and 302 to a POST (as in browsers), it is a GET without a body; a HEAD stays a HEAD. A
    /// request to another server has no credentials, and no header field of an adapter. If a `MOVE` within a folder is
    /// redirected to another folder of the server, its target is in that folder too.
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
        if staysAtServer {
            next.fields[.destination] = request.fields[.destination].map(destination)
        } else {
            next.fields = HTTPFields(
                next.fields.filter {
                    !Redaction.holdsSecret($0.name) && asked[values: $0.name].contains($0.value)
                })
        }
        return next
    }

    /// Returns the field `Destination` (RFC 4918 §10.3) of the next request, for `target` in the one before. A target
    /// in the request's folder is moved to the redirect's, if the request keeps its name.
    private func destination(for target: String) -> String {
        let old = Self.split(UploadAddress.parts(of: request.url).path)
        let new = Self.split(UploadAddress.parts(of: url).path)
        let parts = UploadAddress.parts(of: target)
        let (folder, name) = Self.split(parts.path)
        guard old.name == new.name, old.folder == folder else { return target }
        return "\(parts.server)\(new.folder)\(name)\(parts.query)"
    }

    private static func split(_ path: Substring) -> (folder: Substring, name: Substring) {
        let end = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        return (path[..<end], path[end...])
    }

    /// The request that the sender sends after the redirect by default; nil if it does not follow the redirect. No
    /// other server receives bytes or credentials. Within the server, 307 and 308 are followed for all methods, and the
    /// others for GET and HEAD.
    package var nextWithinServer: TransportRequest? {
        guard staysAtServer else { return nil }
        let isRepeated = [307, 308].contains(response.status)
        return isRepeated || [.get, .head].contains(request.method) ? next : nil
    }

    /// True if the redirect leads from outside to a Unix socket, this machine or a private network. Host names are not
    /// resolved.
    package var leadsInside: Bool {
        guard let from = URL(string: request.url), let target = URL(string: url) else { return false }
        return UploadAddress.leadsInside(target, from: from)
    }

    package var losesEncryption: Bool {
        let isEncrypted: (String) -> Bool = { $0.lowercased().hasPrefix("https") }
        return isEncrypted(request.url) && !isEncrypted(url)
    }
}
