import FerryProtocols
import HTTPTypes

/// The check of the size of a request's head: the target and the header fields.
enum RequestHead {
    /// The maximum number of bytes in the head of a request. AsyncHTTPClient 1.37.0 crashes when the head of a request
    /// with a streamed body fills NIO's write buffer of 64 KiB (`HTTPRequestStateMachine.headSent()`). The client and a
    /// proxy add header fields.
    static let longest = 32 << 10

    /// - Throws: `UploadFailure` (`permanent`) that names the server and the longest part of a head over `longest`.
    static func check(_ request: TransportRequest, to route: Route) throws(UploadFailure) {
        let written = route.url.utf8.count
        let fields = request.fields.map {
            ($0.name.rawName, $0.name.rawName.utf8.count + $0.value.utf8.count + 4)
        }
        let added = route.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        let rest = fields.reduce(added) { $0 + $1.1 }
        // The URL parser can percent-encode one byte as three.
        guard written * 3 + rest > longest else { return }
        let address = max(written, URL(string: route.url)?.absoluteString.utf8.count ?? 0)
        let length = address + rest
        guard length > longest else { return }
        let field = fields.max { $0.1 < $1.1 }
        let largest = field.flatMap { $0.1 > address ? "the field \($0.0)" : nil } ?? "the address"
        let host = ServerText.cleaned(
            URL(string: request.url)?.host(percentEncoded: false) ?? Redaction.address(request.url))
        throw UploadFailure(
            .permanent,
            "the request to \(host) would begin with \(length) bytes of address and fields, of which \(largest) is the longest; at most \(longest) are sent",
            hint:
                "check the destination's headers and auth; or remove the upload and add it again, for another address"
        )
    }
}
