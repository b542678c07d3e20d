import FerryConnectivity
import FerryProtocols
import FerryQueueSimulation
import FerryTransfer
import FerryUploads

/// The changes of the link and the servers.
extension Simulation {
    /// The time in milliseconds within which the engine must use a link that has returned.
    private static let returnLimit: Int64 = 1000

    mutating func changeLink() {
        link.changes += 1
        let length = Int64([500, 3000, 20_000, 120_000, 900_000].randomElement(using: &random) ?? 500)
        switch number(in: 0...8) {
        case 0, 1, 2:
            link.isUp = false
            planReport(.down(reason: "no carrier"))
        case 3, 4: link.isFading = true
        case 5, 6:
            link.isUp = true
            link.generation += 1
            planReport(.up(generation: link.generation))
        case 7:
            link.hasPortal = true
        default:
            link.rate = Double([20_000, 200_000, 1_000_000, 10_000_000].randomElement(using: &random) ?? 1)
        }
        log.add("link", link.isUp ? 1 : 0, link.generation)
        timeline.plan(.linkRestored(changes: link.changes), after: length)
        kick()
    }

    mutating func restoreLink() {
        let wasDown = !link.isUp
        link.changes += 1
        if wasDown, happens(40) { link.generation += 1 }
        (link.isUp, link.isFading) = (true, false)
        link.hasPortal = wasDown && engine?.isCalm != true && happens(10)
        log.add("link", 1, link.generation)
        if wasDown { planReport(.up(generation: link.generation)) }
        if link.hasPortal {
            timeline.plan(.linkRestored(changes: link.changes), after: Int64(number(in: 1000...200_000)))
        }
        kick()
    }

    private mutating func planReport(_ status: LinkStatus) {
        guard let engine else { return }
        // The kernel reports changes in the order in which they happened.
        link.lastReport = max(link.lastReport, now + Int64(number(in: 0...200)))
        timeline.plan(.linkReported(life: engine.life, status), after: link.lastReport - now)
    }

    /// Passes a report of the kernel about the link to the engine.
    mutating func report(_ status: LinkStatus) {
        guard let life = engine?.life else { return }
        log.add("report", status.isUp ? 1 : 0)
        if status.isUp {
            timeline.plan(
                .linkChecked(life: life, changes: link.changes, starts: judge.starts),
                after: Self.returnLimit)
            if mutant == .linkReturnIsMissed { return }
        }
        send(.link(status, isForbidden: false))
    }

    /// Resumes blocked requests whose packets get through again.
    mutating func kick() {
        for number in flights.keys.sorted() {
            guard let flight = flights[number], flight.isBlocked, carries(flight) else { continue }
            plan(number, after: Int64(self.number(in: 50...1000)))
        }
    }

    mutating func linkIsAway(_ isAway: Bool) {
        engine?.isLinkAway = isAway
        guard !isAway else { return }
        for number in flights.keys.sorted() where flights[number]?.isBlocked == true { advance(number) }
    }

    mutating func invalidateConnections(because reason: ConnectionInvalidation) {
        guard mutant != .deadConnectionsAreKept else { return }
        for number in flights.keys.sorted() {
            guard let flight = flights[number], flight.life == engine?.life, !sites[flight.site].isLocal,
                flight.generation < link.generation
            else { continue }
            breakOff(number, UploadFailure(.addressLost, "the connection's address is gone"))
        }
    }

    mutating func answerProbe(_ host: UploadHost, _ number: Int) {
        guard let site = sites.first(where: { $0.uploadHost == host }) else { return }
        let isThrough = site.isLocal || link.isUp && !link.isFading
        let answer: Reachability =
            switch site.presence {
            case .up where isThrough: .reachable
            case .refusing where isThrough: .refused
            default: .timedOut
            }
        log.add("probed", answer == .reachable ? 1 : 0) { host.name }
        send(.probed(host, number: number, answer))
    }

    // Servers.

    mutating func changeServer() {
        let index = active[number(in: 0...active.count - 1)]
        log.add("server", index) { sites[index].host }
        switch number(in: 0...5) {
        case 0: sites[index].presence = .refusing
        case 1: sites[index].presence = .silent
        case 2: restart(index)
        case 3: sites[index].mood = .drawn(&random)
        default:
            sites[index].presence = .up
            kick()
        }
    }

    private mutating func restart(_ index: Int) {
        for number in flights.keys.sorted() where flights[number]?.site == index {
            if flights[number]?.isAbandoned == true {
                sites[index].drop(number)
                flights[number] = nil
            } else if sites[index].requests[number] != nil {
                breakOff(number, UploadFailure(.network, "connection reset by server"))
            }
        }
        let isForgetful = sites[index].isForgetful
        for owner in sites[index].service.crash(isForgetful: isForgetful, &random) { judge.lost(owner) }
    }

    /// Ends all faults of servers and of the link.
    mutating func calm() {
        for index in sites.indices {
            sites[index].mood = .well
            sites[index].presence = .up
        }
        link.changes += 1
        if !link.isUp { planReport(.up(generation: link.generation)) }
        (link.isUp, link.isFading, link.hasPortal) = (true, false, false)
        link.rate = max(link.rate, 1_000_000)
        kick()
    }
}
