import FerryProtocols
import FerryTestSupport
import FerryUploads
import HTTPTypes

/// A request that a server has begun to read.
struct ServerRequest {
    struct FileVersion: Hashable {
        var file: Int
        var version: Int64
    }

    let number: Int
    let owner: Upload.ID
    let file: FileVersion
    let exchange: Exchange
    /// The bytes of the file that have come and are not stored yet.
    var body = Content()
    /// Whether the server still stores what comes.
    var isTaken = true
    /// A response that the server sends whatever else comes.
    var refusal: ExchangeOutcome.Response?
}

/// A server that keeps uploads: it takes requests bit by bit and responds to them.
protocol Service {
    /// The head of a request is there.
    mutating func begin(_ request: inout ServerRequest)
    /// Some more of its body is there.
    mutating func absorb(_ content: Content, of request: inout ServerRequest)
    /// All of it is there.
    mutating func answer(_ request: ServerRequest) -> ExchangeOutcome.Response
    /// True if the server has exactly this content whole, from this upload.
    func holds(_ content: Content, of owner: Upload.ID) -> Bool
    /// True if the server has whole uploads of this size from this upload, with other content.
    func hasSpliced(of owner: Upload.ID, size: ByteCount) -> Bool
    /// The number of bytes at this address; nil if the server does not know the address.
    func held(at url: String) -> ByteCount?
    /// The server restarts. Unsynced bytes are lost; a forgetful server loses confirmed ones and whole uploads too.
    ///
    /// - Returns: The uploads of which it lost confirmed bytes.
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

    /// The part of the file that it carries.
    var range: Range<ByteCount>? { if case .file(let range, _, _) = body { range } else { nil } }

    /// Its address without the query.
    var path: String { String(url.prefix { $0 != "?" }) }
}
