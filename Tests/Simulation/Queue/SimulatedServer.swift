import FerryProtocols
import FerryTestSupport
import FerryUploads
import HTTPTypes

/// The servers of all uploads, as one value that handles tus, PUT and POST.
struct SimulatedServer {
    /// The frequencies of a server's faults, in percent.
    struct Mood {
        var breaks = 0
        var refusals = 0
        var lostAnswers = 0
        var wrongCredentials = 0
        var refusedConnections = 0

        static let well = Mood()

        static func drawn(_ random: inout SeededGenerator) -> Mood {
            guard !random.happens(25) else { return .well }
            return Mood(
                breaks: Int.random(in: 0...20, using: &random),
                refusals: random.happens(50) ? Int.random(in: 0...25, using: &random) : 0,
                lostAnswers: Int.random(in: 0...20, using: &random),
                wrongCredentials: random.happens(20) ? 5 : 0,
                refusedConnections: random.happens(50) ? Int.random(in: 0...25, using: &random) : 0)
        }
    }

    /// An upload resource at the tus server.
    struct Making {
        var owner: Upload.ID
        /// The version of the file that its bytes come from; nil before the first byte.
        var version: Int64?
        var size: ByteCount
        var held: ByteCount = 0
        /// The greatest number of bytes stored since the last loss.
        var mostHeld: ByteCount = 0
        var losses = 0
    }

    /// A request under way.
    struct Flight {
        var owner: Upload.ID
        var exchange: Exchange
        var version: Int64
        var life: Int
        var sent: ByteCount = 0
        /// The offset at which the server stores the next byte; nil if the server does not store the bytes of this
        /// request.
        var position: ByteCount?
        /// The response if the server refuses the request before it has read the body; nil otherwise.
        var refusal: ExchangeOutcome.Response?
        /// True if the client has given up the request.
        var isGhost = false
    }

    var mood = Mood.well
    private(set) var makings: [String: Making] = [:]
    private(set) var flights: [Int: Flight] = [:]
    /// The versions of the file that the server has completely, by upload.
    private(set) var whole: [Upload.ID: Set<Int64>] = [:]
    /// The number of POSTs whose whole body the server accepted, by upload.
    private(set) var posted: [Upload.ID: Int] = [:]
    /// The number of acknowledged bytes that the server has lost, by upload.
    private(set) var lost: [Upload.ID: ByteCount] = [:]
    /// The violations of invariants that the server noticed.
    private(set) var complaints: [(invariant: String, text: String)] = []
    private var lastURL = 0
    private var lastFlight = 0

    mutating func takeComplaints() -> [(invariant: String, text: String)] {
        defer { complaints = [] }
        return complaints
    }

    var ghosts: [Int] { flights.filter { $0.value.isGhost }.keys.sorted() }

    /// Handles the head of a request, and returns the number of the request.
    mutating func begin(_ exchange: Exchange, owner: Upload.ID, version: Int64, life: Int) -> Int {
        var flight = Flight(owner: owner, exchange: exchange, version: version, life: life)
        if exchange.method == .patch || exchange.method == .head && makings[exchange.url] != nil {
            takeOver(exchange, life: life)
        }
        if exchange.method == .patch { begin(&flight) }
        lastFlight += 1
        flights[lastFlight] = flight
        return lastFlight
    }

    private mutating func begin(_ flight: inout Flight) {
        guard var making = makings[flight.exchange.url] else {
            flight.refusal = ExchangeOutcome.Response(status: 404)
            return
        }
        if making.owner != flight.owner {
            complain("I7", "upload \(flight.owner) sends to the address of upload \(making.owner)")
        }
        guard case .file(let range, _, _) = flight.exchange.body, range.lowerBound == making.held else {
            flight.refusal = ExchangeOutcome.Response(status: 409)
            return
        }
        if let version = making.version, version != flight.version {
            complain("I9", "upload \(flight.owner) mixes two versions of its file")
        }
        making.version = flight.version
        makings[flight.exchange.url] = making
        flight.position = making.held
    }

    /// Makes this request the only one of its address whose bytes are stored.
    private mutating func takeOver(_ exchange: Exchange, life: Int) {
        for (number, flight) in flights where flight.exchange.url == exchange.url {
            if exchange.method == .patch, flight.exchange.method == .patch, !flight.isGhost {
                complain("I7", "two appends to \(exchange.url) at once")
            }
            flights[number]?.position = nil
            if flight.isGhost { flights[number] = nil }
        }
    }

    /// Records that the client sent `bytes` more bytes of a request's body, of which `arriving` reach the server now.
    mutating func transfer(_ bytes: ByteCount, of number: Int, arriving: ByteCount) {
        flights[number]?.sent += bytes
        absorb(arriving, of: number)
    }

    private mutating func absorb(_ bytes: ByteCount, of number: Int) {
        guard let flight = flights[number], let position = flight.position,
            var making = makings[flight.exchange.url], making.held == position
        else { return }
        let taken = min(bytes, making.size - making.held)
        making.held += taken
        making.mostHeld = max(making.mostHeld, making.held)
        makings[flight.exchange.url] = making
        flights[number]?.position = making.held
        if making.held == making.size { whole[making.owner, default: []].insert(flight.version) }
    }

    /// Carries out a request whose body has arrived completely, and returns the response.
    mutating func answer(_ number: Int) -> ExchangeOutcome.Response {
        guard let flight = flights.removeValue(forKey: number) else {
            return ExchangeOutcome.Response(status: 500)
        }
        if let refusal = flight.refusal { return refusal }
        let exchange = flight.exchange
        switch exchange.method {
        case .options:
            return Self.answer(204, ["Tus-Version": "1.0.0", "Tus-Extension": "creation,termination"])
        case .post where exchange.fields.contains { $0.name.canonicalName == "upload-length" }:
            lastURL += 1
            let url = "\(exchange.url)\(lastURL)"
            let length = exchange.fields.first { $0.name.canonicalName == "upload-length" }
            let size = length.flatMap { ByteCount($0.value) } ?? 0
            makings[url] = Making(owner: flight.owner, size: size)
            if size == 0 { whole[flight.owner, default: []].insert(flight.version) }
            return Self.answer(201, ["Location": url])
        case .head:
            guard let making = makings[exchange.url] else { return ExchangeOutcome.Response(status: 404) }
            return Self.answer(
                200, ["Upload-Offset": "\(making.held)", "Upload-Length": "\(making.size)"])
        case .patch:
            flights[number] = flight
            if case .file(let range, _, _) = exchange.body, let position = flight.position {
                absorb(range.upperBound - position, of: number)
            }
            flights[number] = nil
            guard flight.position != nil, let making = makings[exchange.url] else {
                return ExchangeOutcome.Response(status: 409)
            }
            return Self.answer(204, ["Upload-Offset": "\(making.held)"])
        case .delete:
            makings[exchange.url] = nil
            return ExchangeOutcome.Response(status: 204)
        case .put:
            whole[flight.owner, default: []].insert(flight.version)
            return ExchangeOutcome.Response(status: 201)
        case .post:
            whole[flight.owner, default: []].insert(flight.version)
            posted[flight.owner, default: 0] += 1
            return ExchangeOutcome.Response(status: 201)
        default: return ExchangeOutcome.Response(status: 405)
        }
    }

    /// Records that the client has given up a request. Its bytes may still arrive, now or later.
    mutating func letGo(_ number: Int, random: inout SeededGenerator) {
        guard let flight = flights[number] else { return }
        flights[number]?.isGhost = true
        // An abandoned PUT arrives now or never. Later it would replace a newer PUT, which no client can prevent.
        if flight.exchange.method == .put || random.happens(60) { vanish(number, random: &random) }
    }

    /// Ends an abandoned request: the rest of it arrives or is lost.
    mutating func vanish(_ number: Int, random: inout SeededGenerator) {
        guard let flight = flights[number] else { return }
        let isWhole = flight.sent >= flight.exchange.contentLength
        if isWhole, random.happens(50) {
            _ = answer(number)
        } else {
            absorb(ByteCount.random(in: 0...max(0, flight.sent), using: &random), of: number)
            flights[number] = nil
        }
    }

    /// Ends a request without carrying it out.
    mutating func drop(_ number: Int) { flights[number] = nil }

    /// Loses acknowledged bytes, as a server does that did not sync them before a power cut.
    mutating func loseBytes(random: inout SeededGenerator) {
        guard let url = unfinished.randomElement(using: &random), var making = makings[url] else { return }
        let before = making.held
        making.held = ByteCount.random(in: 0...making.held, using: &random)
        lost[making.owner, default: 0] += before - making.held
        making.mostHeld = making.held
        making.losses += 1
        makings[url] = making
        for (number, flight) in flights where flight.exchange.url == url { flights[number]?.position = nil }
    }

    /// Deletes an unfinished upload at the server.
    mutating func forget(random: inout SeededGenerator) {
        guard let url = unfinished.randomElement(using: &random),
            let making = makings.removeValue(forKey: url)
        else { return }
        lost[making.owner, default: 0] += making.held
    }

    private var unfinished: [String] { makings.filter { $0.value.held < $0.value.size }.keys.sorted() }

    private mutating func complain(_ invariant: String, _ text: String) {
        complaints.append((invariant, text))
    }

    private static func answer(_ status: Int, _ fields: KeyValuePairs<String, String>)
        -> ExchangeOutcome.Response
    {
        var answer = ExchangeOutcome.Response(status: status, fields: version)
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { answer.fields[name] = value }
        }
        return answer
    }

    private static let version: HTTPFields = {
        var fields = HTTPFields()
        if let name = HTTPField.Name("Tus-Resumable") { fields[name] = "1.0.0" }
        return fields
    }()
}
