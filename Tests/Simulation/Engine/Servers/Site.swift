import FerryProtocols
import FerryTestSupport
import FerryUploads

/// The frequencies of a server's faults, in percent.
struct Mood {
    var breaks = 0
    var refusals = 0
    var lostAnswers = 0
    var locks = 0
    var wrongCredentials = 0

    static let well = Mood()

    static func drawn(_ random: inout SeededGenerator) -> Mood {
        guard !random.happens(30) else { return .well }
        return Mood(
            breaks: Int.random(in: 0...12, using: &random),
            refusals: random.happens(50) ? Int.random(in: 0...20, using: &random) : 0,
            lostAnswers: Int.random(in: 0...12, using: &random),
            locks: random.happens(30) ? Int.random(in: 0...20, using: &random) : 0,
            wrongCredentials: random.happens(10) ? 3 : 0)
    }
}

/// A server with its host name, the target of uploads.
struct Site {
    enum Presence { case up, refusing, silent }

    let host: String
    let scheme: String
    let protocolName: String
    /// True if the server can lose bytes that it has confirmed.
    let isForgetful: Bool
    let isLocal: Bool
    /// The time in milliseconds that a request or a response takes between the machine and the server.
    var latency: Int64 = 40
    /// The time in milliseconds that the server needs for a response.
    var work: Int64 = 0
    var service: any Service
    var mood = Mood.well
    var presence = Presence.up
    var requests: [Int: ServerRequest] = [:]

    var url: String { "\(scheme)://\(host)/files/" }
    var uploadHost: UploadHost {
        UploadHost(name: host, port: scheme == "https" ? 443 : 80, isLocal: isLocal)
    }

    static func all() -> [Site] {
        func site(
            _ host: String, _ name: String, _ service: any Service, forgetful: Bool = false,
            local: Bool = false, scheme: String = "http"
        ) -> Site {
            Site(
                host: host, scheme: scheme, protocolName: name, isForgetful: forgetful, isLocal: local,
                service: service)
        }
        return [
            site("tus.test", "tus", TusService()),
            site("lossy.test", "tus", TusService(), forgetful: true),
            site("draft.test", "resumable", ResumableService()),
            site("vague.test", "resumable", ResumableService(), forgetful: true),
            site("bucket.test", "s3", S3Service(), scheme: "https"),
            site("attic.test", "s3", S3Service(), forgetful: true, scheme: "https"),
            site("put.test", "put", WholeService()),
            site("dav.test", "webdav", WebDAVService()),
            site("post.test", "post", WholeService()),
            site("localhost", "tus", TusService(), local: true),
        ]
    }

    // Handling of requests.

    mutating func begin(_ request: ServerRequest) {
        var request = request
        service.begin(&request)
        requests[request.number] = request
    }

    mutating func absorb(_ content: Content, of number: Int) {
        guard var request = requests[number], request.refusal == nil else { return }
        service.absorb(content, of: &request)
        requests[number] = request
    }

    mutating func answer(_ number: Int) -> ExchangeOutcome.Response {
        guard let request = requests.removeValue(forKey: number) else {
            return ExchangeOutcome.Response(status: 500)
        }
        return request.refusal ?? service.answer(request)
    }

    mutating func drop(_ number: Int) { requests[number] = nil }
}
