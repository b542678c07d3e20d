import FerryProtocols
import FerryUploads
import HTTPTypes

/// A server that takes each file in one request, by PUT or by POST.
struct WholeService: Service {
    private var files: [Upload.ID: [Content]] = [:]
    private var sizes: [String: ByteCount] = [:]
    /// The number of POSTs that were carried out, by version of a file. Each file has one upload; upload numbers are
    /// not unique, as the queue may give a number again.
    private(set) var posts: [ServerRequest.FileVersion: Int] = [:]

    mutating func answer(_ request: ServerRequest) -> ExchangeOutcome.Response {
        let exchange = request.exchange
        switch exchange.method {
        case .put, .post:
            files[request.owner, default: []].append(request.body)
            sizes[exchange.path] = request.body.count
            if exchange.method == .post { posts[request.file, default: 0] += 1 }
            return ExchangeOutcome.Response(201)
        case .head:
            return sizes[exchange.path].map { ExchangeOutcome.Response(200, ["Content-Length": "\($0)"]) }
                ?? ExchangeOutcome.Response(404)
        default: return ExchangeOutcome.Response(405)
        }
    }

    func holds(_ content: Content, of owner: Upload.ID) -> Bool { files[owner]?.contains(content) ?? false }

    func hasSpliced(of owner: Upload.ID, size: ByteCount) -> Bool {
        files[owner]?.contains { $0.count == size } ?? false
    }
}
