import FerryFiles
import HTTPTypes
import NIOCore
import NIOHTTP1

/// The reason why two servers could interpret a request head differently (RFC 9112 §11), so that it is refused.
enum FramingError: String {
    case severalHosts = "The request has more than one Host."
    case otherAuthority = "The request's target and its Host differ."
    case target = "The request's target is neither a path nor an http address."
    case length = "Content-Length is not a number of bytes that a file can have."
    case codingInOldVersion = "HTTP/1.0 has no Transfer-Encoding."
    case coding = "Of all transfer codings only chunked is understood here."

    /// Creates the error for the first ambiguity in `head`, as the client sent it; nil if there is none.
    init?(_ head: HTTPRequestHead) {
        let hosts = head.headers["Host"]
        // RFC 9112 §3.2: a server must respond with 400, even if the values are equal.
        let issue =
            hosts.count > 1
            ? .severalHosts
            : Self.issue(ofTarget: head.uri, host: hosts.first) ?? Self.issue(ofCoding: head)
                ?? Self.issue(ofLength: head.headers["Content-Length"])
        guard let issue else { return nil }
        self = issue
    }

    private static func issue(ofTarget target: String, host: String?) -> FramingError? {
        if target.hasPrefix("/") || target == "*" { return nil }
        guard let range = target.firstRange(of: "://"),
            ["http", "https"].contains(target[..<range.lowerBound].lowercased())
        else { return .target }
        // RFC 9112 §3.2.2: the authority of the target applies, and clients send the same value in Host.
        let authority = target[range.upperBound...].prefix { !"/?#".contains($0) }
        return authority.lowercased() == host?.lowercased() ? nil : .otherAuthority
    }

    private static func issue(ofCoding head: HTTPRequestHead) -> FramingError? {
        let codings = head.headers["Transfer-Encoding"]
        guard !codings.isEmpty else { return nil }
        // RFC 9112 §6.1: HTTP/1.0 has no transfer codings, so the framing of such a message is faulty.
        if (head.version.major, head.version.minor) < (1, 1) { return .codingInOldVersion }
        let names = codings.joined(separator: ",").split(separator: ",").map {
            $0.trimmed().lowercased()
        }
        return names == ["chunked"] ? nil : .coding
    }

    private static func issue(ofLength lengths: [String]) -> FramingError? {
        guard let length = lengths.first else { return nil }
        let isNumber = lengths.count == 1 && length.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber && Int(length) != nil ? nil : .length
    }

    var refusal: Refusal { Refusal(self == .coding ? .notImplemented : .badRequest, rawValue) }
}

/// Stores the `FramingError` of each request head in a header field of the head, before `HTTP1ToHTTPServerCodec` drops
/// the HTTP version and a part of the target. A field because the head can wait behind earlier requests. Removes a
/// field of that name that the client has sent.
final class FramingCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        head.headers.remove(name: FramingError.field)
        if let issue = FramingError(head) {
            head.headers.add(name: FramingError.field, value: issue.rawValue)
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}

extension FramingError {
    fileprivate static let field = "Ferry-Framing-Flaw"

    /// Reads the error that `FramingCheck` has stored in the header fields; nil if there is none.
    init?(markedIn fields: HTTPFields) {
        guard let name = HTTPField.Name(Self.field), let mark = fields[name] else { return nil }
        self.init(rawValue: mark)
    }
}
