import FerryProtocols
import FerryTestSupport
import FerryUploads
import HTTPTypes

/// A request whose head the server has read.
struct ServerRequest {
    struct FileVersion: Hashable {
        var file: Int
        var version: Int64
    }

    let number: Int
    let owner: Upload.ID
    let file: FileVersion
    let exchange: Exchange
    /// The received bytes of the file that are not stored yet.
    var body = Content()
    /// True while the server stores the bytes of this request.
    var isTaken = true
    /// The response if the server refuses the request before it has read the body; nil otherwise.
    var refusal: ExchangeOutcome.Response?
}

/// The behavior of a simulated server: it receives requests in parts, stores content and responds.
protocol Service {
    /// Handles the head of a request.
    mutating func begin(_ request: inout ServerRequest)
    /// Handles a part of the request's body.
    mutating func absorb(_ content: Content, of request: inout ServerRequest)
    /// Handles the end of the request, and returns the response.
    mutating func answer(_ request: ServerRequest) -> ExchangeOutcome.Response
    /// Returns true if the server has exactly this content, complete and from this upload.
    func holds(_ content: Content, of owner: Upload.ID) -> Bool
    /// Returns true if the server has a complete upload of this size from this owner with other content.
    func hasSpliced(of owner: Upload.ID, size: ByteCount) -> Bool
    /// The number of bytes stored at this address; nil if the server does not know the address.
    func held(at url: String) -> ByteCount?
    /// Restarts the server. Bytes that were not synced are lost. A forgetful server also loses confirmed bytes and
    /// whole uploads.
    ///
    /// - Returns: The uploads that lost confirmed bytes.
    mutating func crash(isForgetful: Bool, _ random: inout SeededGenerator) -> [Upload.ID]
}

extension Service {
    mutating func begin(_ request: inout ServerRequest) {}
    mutating func absorb(_ content: Content, of request: inout ServerRequest) { request.body.append(content) }
    func held(at url: String) -> ByteCount? { nil }
    func hasSpliced(of owner: Upload.ID, size: ByteCount) -> Bool { false }
    mutating func crash(isForgetful: Bool, _ random: inout SeededGenerator) -> [Upload.ID] { [] }
}

extension ExchangeOutcome.Response {
    init(_ status: Int, _ fields: KeyValuePairs<String, String> = [:], _ body: String = "") {
        self.init(status: status, body: Array(body.utf8))
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { self.fields[name] = value }
        }
    }
}

extension Exchange {
    /// The first value of a header field.
    func value(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }

    /// The range of the file in the request's body; nil if the body is not from a file.
    var range: Range<ByteCount>? { if case .file(let range, _, _) = body { range } else { nil } }

    /// The request's URL without the query.
    var path: String { String(url.prefix { $0 != "?" }) }
}
