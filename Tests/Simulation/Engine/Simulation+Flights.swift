import FerryProtocols
import FerryQueueSimulation
import FerryTransfer
import FerryUploads
import HTTPTypes

/// The requests: connecting, sending chunks, waiting for the response.
extension Simulation {
    /// The time in milliseconds without progress after which a request fails.
    private static let stallLimit: Int64 = 60_000
    private static let connectLimit: Int64 = 10_000

    mutating func fly(_ exchange: Exchange, for attempt: Attempt, _ purpose: Flight.Purpose) -> Int {
        lastFlight += 1
        log.add("request", attempt.upload.id, lastFlight) { "\(exchange.method) \(exchange.url)" }
        flights[lastFlight] = Flight(
            owner: attempt.upload.id, life: engine?.life ?? 0, purpose: purpose, site: attempt.site,
            exchange: exchange, file: attempt.file, version: attempt.upload.identity.modified,
            generation: link.generation)
        return lastFlight
    }

    mutating func plan(_ number: Int, after milliseconds: Int64) {
        guard var flight = flights[number] else { return }
        flight.plan += 1
        flights[number] = flight
        timeline.plan(.flight(number, plan: flight.plan), after: milliseconds)
    }

    /// Returns true if packets get through between the machine and the server.
    func carries(_ flight: Flight) -> Bool {
        let site = sites[flight.site]
        guard site.presence != .silent else { return false }
        return site.isLocal || link.isUp && !link.isFading && flight.generation == link.generation
    }

    /// Performs the next step of a request.
    mutating func advance(_ number: Int) {
        guard let flight = flights[number], !flight.isAbandoned else { return }
        guard carries(flight) else { return block(number, flight) }
        flights[number]?.isBlocked = false
        switch flight.stage {
        case .connecting: connect(number, flight)
        case .sending: sendChunk(number, flight)
        case .marking, .ended: break
        case .waiting: receiveAnswer(number, flight)
        }
    }

    private mutating func block(_ number: Int, _ flight: Flight) {
        flights[number]?.isBlocked = true
        flights[number]?.plan += 1
        guard engine?.isLinkAway != true || sites[flight.site].isLocal else { return }
        let isConnecting = if case .connecting = flight.stage { true } else { false }
        timeline.plan(
            .stalled(number, plan: flight.plan + 1),
            after: isConnecting ? Self.connectLimit : Self.stallLimit)
    }

    mutating func stall(_ number: Int) {
        guard let flight = flights[number], flight.isBlocked,
            engine?.isLinkAway != true || sites[flight.site].isLocal
        else { return }
        breakOff(number, UploadFailure(.timedOut, "nothing moved"))
    }

    private mutating func connect(_ number: Int, _ flight: Flight) {
        let site = sites[flight.site]
        guard site.presence == .up else {
            return ended(
                number, .broken(UploadFailure(.network, "connection refused"), bodySent: nil),
                removesMark: true)
        }
        if link.hasPortal, !site.isLocal {
            let failure = UploadFailure(.signInPage, "another page came in the server's place")
            return ended(number, .broken(failure, bodySent: nil), removesMark: true)
        }
        judge.check(flight, engine: engine)
        var request = ServerRequest(
            number: number, owner: flight.owner, file: .init(file: flight.file, version: flight.version),
            exchange: flight.exchange)
        if happens(site.mood.locks), [.patch, .head].contains(flight.exchange.method) {
            request.refusal = ExchangeOutcome.Response(423)
        }
        sites[flight.site].begin(request)
        flights[number]?.stage = flight.length > 0 ? .sending : .waiting
        plan(number, after: site.latency + (flight.length > 0 ? 0 : site.work))
    }

    // Sending.

    private mutating func sendChunk(_ number: Int, _ flight: Flight) {
        arriveAll(number)
        let mood = sites[flight.site].mood
        if happens(mood.breaks) {
            return breakOff(number, UploadFailure(.network, "connection reset by server"))
        }
        if sites[flight.site].requests[number]?.refusal != nil, happens(50) {
            return answer(number, sites[flight.site].answer(number))
        }
        guard let range = flight.exchange.range else {
            flights[number]?.sent = flight.length
            flights[number]?.stage = .waiting
            return plan(number, after: sites[flight.site].latency + sites[flight.site].work)
        }
        let left = flight.length - flight.sent
        let chunk = flight.isMarked ? left : ByteCount(chunkLength(upTo: Int(left)))
        let isLast = chunk == left && flight.exchange.traits.contains(.completes)
        if isLast, hasChanged(flight) { return fileChanged(flight) }
        if isLast, mark(number) { return }
        guard !hasChanged(flight) || happens(30) else { return fileChanged(flight) }
        let version = files[flight.file]?.version ?? flight.version
        let start = range.lowerBound + flight.exchange.fileBytes(afterSending: flight.sent)
        let end = range.lowerBound + flight.exchange.fileBytes(afterSending: flight.sent + chunk)
        flights[number]?.inTransit = Content(
            file: flight.file, version: version, range: start..<max(start, end))
        flights[number]?.sent += chunk
        judge.sent(end - start, flight, engine: engine)
        let isWhole = flight.sent + chunk >= flight.length
        if isWhole { flights[number]?.stage = .waiting }
        let delay = sites[flight.site].latency + (isWhole ? sites[flight.site].work : 0)
        plan(number, after: delay + Int64(Double(chunk) * 1000 / rate(of: flight)))
        if let flight = flights[number] { sent(number, flight) }
    }

    /// Returns a random length for the next chunk, so that most bodies are sent in a few chunks.
    private mutating func chunkLength(upTo left: Int) -> Int {
        happens(25) ? left : number(in: max(1, left / 8)...max(1, left))
    }

    /// Returns the rate of one request in bytes per second.
    private func rate(of flight: Flight) -> Double {
        let sending = flights.values.count { !$0.isAbandoned && !$0.isBlocked && $0.exchange.range != nil }
        let limit = engine?.rate.map(Double.init) ?? .infinity
        let rate = sites[flight.site].isLocal ? 100 * Double(1 << 20) : link.rate
        return max(1, min(rate, limit) / Double(max(1, sending)))
    }

    private func hasChanged(_ flight: Flight) -> Bool {
        guard case .attempt = flight.purpose, mutant != .changesAreOverlooked else { return false }
        return files[flight.file]?.version != flight.version
    }

    private mutating func fileChanged(_ flight: Flight) {
        guard case .attempt(let run) = flight.purpose, engine?.attempts[flight.owner]?.run == run else {
            return
        }
        fileChanged(flight.owner)
    }

    private mutating func arriveAll(_ number: Int) {
        guard let flight = flights[number] else { return }
        sites[flight.site].absorb(flight.inTransit, of: number)
        flights[number]?.inTransit = Content()
    }

    // The response.

    private mutating func receiveAnswer(_ number: Int, _ flight: Flight) {
        arriveAll(number)
        let mood = sites[flight.site].mood
        if happens(mood.wrongCredentials) {
            sites[flight.site].drop(number)
            return answer(number, ExchangeOutcome.Response(401))
        }
        if happens(mood.refusals) { return answer(number, refusal(number, flight)) }
        let reply = sites[flight.site].answer(number)
        if happens(mood.lostAnswers) {
            return breakOff(number, UploadFailure(.network, "the connection broke before an answer"))
        }
        answer(number, reply)
    }

    private mutating func refusal(_ number: Int, _ flight: Flight) -> ExchangeOutcome.Response {
        var refusal = ExchangeOutcome.Response(
            [500, 502, 503, 503, 503, 429, 507].randomElement(using: &random) ?? 503)
        // A gateway may respond with 502 although the server behind it has carried out the request.
        if refusal.status == 502, happens(50) {
            _ = sites[flight.site].answer(number)
        } else {
            sites[flight.site].drop(number)
        }
        let seconds = [0, 0, 2, 30, 600, 3600, 100_000].randomElement(using: &random) ?? 0
        if seconds > 0 { refusal.fields[.retryAfter] = "\(seconds)" }
        return refusal
    }

    private mutating func answer(_ number: Int, _ answer: ExchangeOutcome.Response) {
        log.add("answer", number, answer.status)
        let isFile = flights[number]?.exchange.range != nil
        ended(number, .responded(answer), removesMark: answer.status == 401 && isFile)
    }

    // Broken connections.

    /// Breaks the connection of a request.
    mutating func breakOff(_ number: Int, _ failure: UploadFailure) {
        guard let flight = flights[number], !flight.isAbandoned else { return }
        if case .ended = flight.stage { return }
        log.add("break", number, Int(flight.sent)) { failure.summary }
        leave(number, flight)
        let wasSent = if case .connecting = flight.stage { false } else { true }
        ended(
            number, .broken(failure, bodySent: wasSent ? flight.sent : nil), removesMark: !flight.isWhole)
    }

    /// Ends a request at the server. A random part of the bytes in transit still arrives.
    private mutating func leave(_ number: Int, _ flight: Flight) {
        let some = flight.inTransit.prefix(ByteCount.random(in: 0...flight.inTransit.count, using: &random))
        sites[flight.site].absorb(some, of: number)
        if some.count == flight.inTransit.count, flight.isWhole, happens(50) {
            _ = sites[flight.site].answer(number)
        }
        sites[flight.site].drop(number)
    }

    /// Ends a request because its attempt is over. Bytes of a PATCH may arrive later; those of other requests arrive
    /// now or never.
    mutating func letGo(_ number: Int) {
        guard let flight = flights[number] else { return }
        guard flight.exchange.method == .patch, sites[flight.site].requests[number] != nil, happens(40) else {
            leave(number, flight)
            flights[number] = nil
            return
        }
        flights[number]?.isAbandoned = true
        flights[number]?.plan += 1
        timeline.plan(.arrival(number), after: Int64(chunkLength(upTo: 40_000)))
    }

    mutating func arrive(_ number: Int) {
        guard let flight = flights.removeValue(forKey: number) else { return }
        leave(number, flight)
    }
}
