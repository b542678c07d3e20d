import FerryConnectivity
import FerryProtocols
import FerryTestSupport
import FerryUploads
import HTTPTypes

/// The result of sending a chunk of a request's body.
enum Transferred {
    case sent
    /// The connection broke after this many bytes of the chunk.
    case broken(ByteCount)
    case answered(ExchangeOutcome.Response)
}

extension World {
    /// Returns true if a connection to the server succeeds.
    func reaches(_ url: String) -> Bool {
        with { state in
            Self.isUp(url, state) && !state.random.happens(state.server.mood.refusedConnections)
        }
    }

    private static func isUp(_ url: String, _ state: State) -> Bool {
        let site = Site(of: url)
        return (state.isLinkUp || site == .local) && !state.downHosts.contains(site.rawValue)
    }

    func transfer(_ bytes: ByteCount, of flight: Int, _ url: String) -> Transferred {
        with { state in
            if let refusal = state.server.flights[flight]?.refusal, state.random.happens(50) {
                state.server.drop(flight)
                return .answered(refusal)
            }
            guard Self.isUp(url, state), !state.random.happens(state.server.mood.breaks) else {
                let some = ByteCount.random(in: 0...bytes, using: &state.random)
                state.server.transfer(
                    some, of: flight, arriving: ByteCount.random(in: 0...some, using: &state.random))
                state.server.letGo(flight, random: &state.random)
                return .broken(some)
            }
            state.server.transfer(
                bytes, of: flight, arriving: ByteCount.random(in: 0...bytes, using: &state.random))
            return .sent
        }
    }

    func answer(_ flight: Int, to exchange: Exchange, of owner: Upload.ID, _ url: String) -> ExchangeOutcome {
        let mutant = mutant
        return with { state in
            let length = exchange.contentLength
            let mood = state.server.mood
            // Only the response to the last request of an attempt can ask for a wait.
            state.watch.uploads[owner]?.asked = 0
            guard Self.isUp(url, state) else {
                state.server.letGo(flight, random: &state.random)
                return .broken(UploadFailure(.network, "the link is gone"), bodySent: length)
            }
            if state.random.happens(mood.wrongCredentials) {
                state.server.drop(flight)
                return .responded(ExchangeOutcome.Response(status: 401))
            }
            if state.random.happens(mood.refusals) {
                let statuses = [500, 502, 503, 503, 429, 507]
                var answer = ExchangeOutcome.Response(
                    status: statuses.randomElement(using: &state.random) ?? 503)
                if answer.status == 502 {
                    // A proxy may respond with 502 although the server behind it has carried out the request.
                    state.server.letGo(flight, random: &state.random)
                } else {
                    state.server.drop(flight)
                }
                let waits = [0, 0, 1, 30, 3600, 100_000]
                if let wait = waits.randomElement(using: &state.random), wait > 0 {
                    state.watch.uploads[owner]?.asked = Double(wait)
                    if mutant != .retryAfterIsDropped { answer.fields[.retryAfter] = "\(wait)" }
                }
                return .responded(answer)
            }
            let answer = state.server.answer(flight)
            guard !state.random.happens(mood.lostAnswers) else {
                return .broken(UploadFailure(.network, "no answer came"), bodySent: length)
            }
            return .responded(answer)
        }
    }

    /// Returns whether a server is reachable, for a probe of the queue.
    func probe(_ host: String, life: Int) async -> Reachability {
        guard await step(life) else { return .timedOut }
        return with { state in
            let isThere = (state.isLinkUp || host == Site.local.rawValue) && !state.downHosts.contains(host)
            if isThere { state.watch.networkReturned(event: state.log.count) }
            return isThere ? .reachable : .timedOut
        }
    }
}
