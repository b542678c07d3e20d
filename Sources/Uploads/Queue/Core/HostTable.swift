import FerryConnectivity
import FerryProtocols

/// The state of the link and of each host: whether an upload can start, and if not, until when.
struct HostTable {
    typealias Instant = ContinuousClock.Instant

    enum Permission: Equatable {
        case now
        case notBefore(Instant)
        /// No upload can start until the link or the host is back, at an unknown time.
        case untilItReturns
    }

    /// The probes of a host that an upload could not reach, or to which it lost its connection.
    private struct Probe {
        enum Next {
            case at(Instant)
            case underWay(Int)
        }

        var schedule = ProbeSchedule()
        var next: Next
    }

    private struct Entry {
        var probe: Probe?
        var pause: (end: Instant, status: Int)?
        var portal: StartPause?
        var concurrency: HostConcurrency<Instant>?
        var growth: HostGrowth<Instant>?

        var isEmpty: Bool {
            probe == nil && pause == nil && portal == nil && concurrency == nil && growth == nil
        }
    }

    private(set) var link = LinkGate.open
    private var entries: [UploadHost: Entry] = [:]
    /// The pause of all uploads because a file or socket could not be opened: too many are open. In the pause, running
    /// uploads can end and close their files.
    private var exhaustion: StartPause?
    private var linkReturned: Instant?
    /// The last `generation`, which rises each time this machine loses a local address.
    private(set) var lastGeneration = 0
    private var lastProbe = 0
    /// The number of pending uploads to each host; nil until some host fails or asks for a pause.
    private var pending: [UploadHost: Int]?

    private mutating func change(_ host: UploadHost, _ body: (inout Entry) -> Void) {
        var entry = entries[host] ?? Entry()
        body(&entry)
        entries[host] = entry.isEmpty ? nil : entry
    }
}

// The permission to start.
extension HostTable {
    func permission(at host: UploadHost, running: Int, now: Instant) -> Permission {
        if link.isClosed, !host.isLocal { return .untilItReturns }
        let entry = entries[host]
        if let probe = entry?.probe, !probe.schedule.isReachable { return .untilItReturns }
        var latest = now
        func wait(for instant: Instant) { latest = max(latest, instant) }
        if let exhaustion { wait(for: exhaustion.until) }
        if let portal = entry?.portal { wait(for: running > 0 ? portal.end : portal.until) }
        if let pause = entry?.pause { wait(for: pause.end) }
        if let concurrency = entry?.concurrency, let limit = concurrency.limit(at: now), running >= limit,
            let rise = concurrency.nextRise(after: now)
        {
            wait(for: rise)
        }
        return latest > now ? .notBefore(latest) : .now
    }

    /// Returns the next instant at which more uploads can start at some host, or at which `exhaustion` ends.
    func nextInstant(after now: Instant) -> Instant? {
        var instants: [Instant] = []
        for entry in entries.values {
            if let portal = entry.portal { instants.append(portal.nextInstant(after: now)) }
            if let pause = entry.pause { instants.append(pause.end) }
            if let rise = entry.concurrency?.nextRise(after: now) { instants.append(rise) }
        }
        if let exhaustion { instants.append(exhaustion.nextInstant(after: now)) }
        return instants.filter { $0 > now }.min()
    }

    mutating func prune(at now: Instant) {
        if let end = exhaustion?.end, end <= now { exhaustion = nil }
        for host in Array(entries.keys) {
            change(host) { entry in
                if let portal = entry.portal, portal.end <= now { entry.portal = nil }
                if let pause = entry.pause, pause.end <= now { entry.pause = nil }
                if let concurrency = entry.concurrency, concurrency.isOver(at: now) {
                    entry.concurrency = nil
                }
                if let growth = entry.growth, growth.isOver(at: now) { entry.growth = nil }
            }
        }
    }
}

// The link.
extension HostTable {
    /// True in the first five seconds after the link came up, in which the kernel can still report hosts as
    /// unreachable. It asks for the router's address up to three times, one second apart.
    func isLinkFresh(at now: Instant) -> Bool {
        linkReturned.map { now < $0.advanced(by: .seconds(5)) } ?? false
    }

    mutating func awaitLink() { link = .unknown }

    /// Notes that the link is down. Returns true if this was already known.
    mutating func linkIsDown(because reason: String, at now: Moment) -> Bool {
        link.close(because: reason, at: now.date)
    }

    /// Notes that the link is up. Returns whether waiting uploads can possibly start now, and whether this machine has
    /// lost an address since the last report.
    mutating func linkIsUp(generation: Int, at now: Moment) -> (mayStart: Bool, hasLostAddress: Bool) {
        let hasLostAddress = generation > lastGeneration
        lastGeneration = generation
        guard link == .open else {
            link = .open
            linkReturned = now.instant
            // Probes, captive portals and speeds were observed before the link went down, and say nothing about hosts
            // now.
            for host in Array(entries.keys) {
                change(host) { ($0.probe, $0.portal, $0.growth) = (nil, nil, nil) }
            }
            return (true, hasLostAddress)
        }
        // Without the address, this machine is possibly on another network, which has no captive portal.
        guard hasLostAddress, entries.values.contains(where: { $0.portal != nil }) else {
            return (false, hasLostAddress)
        }
        for host in Array(entries.keys) { change(host) { $0.portal = nil } }
        return (true, true)
    }

    /// Lets uploads start in spite of the link until `endForce`, and discards what is known of all hosts.
    mutating func force() {
        link.force()
        entries = [:]
    }

    mutating func endForce() { link.endForce() }
}

// Reports of hosts and attempts.
extension HostTable {
    /// Notes that an upload could not reach the host, or lost its connection. The first failure starts probes. After
    /// two in a row, uploads wait until the host can be reached again.
    mutating func transferFailed(at host: UploadHost, now: Instant) {
        change(host) { entry in
            var probe = entry.probe ?? Probe(next: .at(now))
            let isNew = entry.probe == nil
            probe.schedule.recordLostTransfer()
            if isNew, let delay = probe.schedule.delay { probe.next = .at(now.advanced(by: delay)) }
            entry.probe = probe
        }
    }

    /// Notes that the host itself responded, and not a captive portal. Returns true if waiting uploads can then start.
    @discardableResult
    mutating func responded(_ host: UploadHost) -> Bool {
        guard let entry = entries[host], entry.portal != nil || entry.probe != nil else { return false }
        change(host) { ($0.probe, $0.portal) = (nil, nil) }
        return true
    }

    /// Notes that an upload is done (`HostGrowth.uploaded`). Returns true if `measured` must follow.
    mutating func uploaded(
        to host: UploadHost, running: Int, isSmall: Bool, isWaiting: Bool, now: Instant
    ) -> Bool {
        // Nothing prunes the hosts of an idle engine.
        let known = entries[host]?.growth.flatMap { $0.isOver(at: now) ? nil : $0 }
        guard known != nil || isSmall && isWaiting else { return false }
        var growth = known ?? HostGrowth(at: now)
        growth.uploaded(running: running, isSmall: isSmall, isWaiting: isWaiting, at: now)
        entries[host, default: Entry()].growth = growth
        return known == nil
    }

    /// Notes the time that a packet takes to a host and back.
    mutating func measured(_ host: UploadHost, roundTrip: Duration) {
        entries[host]?.growth?.measured(roundTrip: roundTrip)
    }

    /// Notes a failure that many uploads at once can cause.
    mutating func strained(_ host: UploadHost, now: Instant) {
        entries[host]?.growth?.failed(at: now)
    }

    /// The number of small uploads that run at a host at once, relative to the usual number (`HostGrowth.factor`).
    func growth(at host: UploadHost, now: Instant) -> Int {
        guard let growth = entries[host]?.growth, !growth.isOver(at: now) else { return 1 }
        return growth.factor
    }

    /// Forgets which hosts take more small uploads at once, as the network or the limits are others now.
    mutating func forgetGrowth() {
        for host in Array(entries.keys) { change(host) { $0.growth = nil } }
    }

    mutating func timedOut(at host: UploadHost, running: Int, now: Instant) {
        guard link == .open else { return }
        change(host) { entry in
            var concurrency = entry.concurrency ?? HostConcurrency()
            concurrency.timedOut(running: running, at: now)
            entry.concurrency = concurrency
        }
    }

    /// Notes that a host asked for a pause of `seconds`, which applies to all uploads to it: RFC 9110 §10.2.3 does not
    /// say to which requests `Retry-After` applies. A longer pause stays.
    mutating func pause(_ host: UploadHost, seconds: Double, status: Int, now: Instant) {
        let end = now.advanced(by: .seconds(seconds))
        change(host) { entry in
            if let known = entry.pause, known.end >= end { return }
            entry.pause = (end, status)
        }
    }

    mutating func portalResponded(for host: UploadHost, _ failure: UploadFailure, now: Instant) {
        // A captive portal responds in less time than the checking upload must run.
        change(host) {
            $0.portal = StartPause(
                at: now, for: StartPause.portalInterval, andThen: .seconds(20), notice: failure)
        }
    }

    mutating func descriptorsRanOut(_ failure: UploadFailure, now: Instant) {
        exhaustion = StartPause(at: now, for: .seconds(1), andThen: .seconds(4), notice: failure)
    }

    /// Copies the longest pause of a host to the `hosts` with its name and port, but another proxy and no pause.
    mutating func carryPausesOver(to hosts: some Sequence<UploadHost>) {
        let pauses = entries.compactMapValues(\.pause)
        guard !pauses.isEmpty else { return }
        for host in hosts where pauses[host] == nil {
            let same = pauses.filter { $0.key.name == host.name && $0.key.port == host.port }
            if let longest = same.values.max(by: { $0.end < $1.end }) { change(host) { $0.pause = longest } }
        }
    }
}

// Probes.
extension HostTable {
    var nextProbe: Instant? {
        entries.values.compactMap { entry in
            if case .at(let instant)? = entry.probe?.next { instant } else { nil }
        }.min()
    }

    /// Marks the due probes as under way and returns them, or ends them at hosts without pending uploads.
    mutating func dueProbes(at now: Instant) -> [(host: UploadHost, number: Int)] {
        var due: [(host: UploadHost, number: Int)] = []
        for (host, entry) in entries {
            guard case .at(let instant)? = entry.probe?.next, instant <= now else { continue }
            guard (pending?[host] ?? 0) > 0 else {
                change(host) { $0.probe = nil }
                continue
            }
            lastProbe += 1
            let number = lastProbe
            due.append((host, number))
            change(host) { $0.probe?.next = .underWay(number) }
        }
        return due
    }

    /// Processes the result of a probe. Returns whether it reached the host, or nil if it is not needed any more.
    mutating func probed(_ host: UploadHost, number: Int, _ answer: Reachability, now: Instant) -> Bool? {
        guard var probe = entries[host]?.probe, case .underWay(number) = probe.next else { return nil }
        probe.schedule.record(answer)
        if let delay = probe.schedule.delay { probe.next = .at(now.advanced(by: delay)) }
        let isBack = answer == .reachable
        change(host) { $0.probe = isBack ? nil : probe }
        return isBack
    }
}

// Counts of pending uploads, for probes and for users.
extension HostTable {
    var isCounting: Bool { pending != nil }

    mutating func count(_ pending: [UploadHost: Int]) { self.pending = pending }

    mutating func count(_ host: UploadHost, by change: Int) { pending?[host, default: 0] += change }

    func pauses(running: (UploadHost) -> Int, now: Moment) -> [RetryAfterPause] {
        entries.compactMap { host, entry in
            let waiting = (pending?[host] ?? 0) - running(host)
            guard let pause = entry.pause, pause.end > now.instant, waiting > 0 else { return nil }
            return RetryAfterPause(
                host: host.name, status: pause.status, until: now.date(of: pause.end), waiting: waiting)
        }.sorted { ($1.until, $0.host) < ($0.until, $1.host) }
    }

    func unreachable(running: (UploadHost) -> Int) -> [UnreachableHost] {
        entries.compactMap { host, entry in
            let waiting = (pending?[host] ?? 0) - running(host)
            guard let schedule = entry.probe?.schedule, !schedule.isReachable, waiting > 0 else { return nil }
            return UnreachableHost(host: host.name, reason: Self.reason(schedule.result), waiting: waiting)
        }.sorted { ($1.waiting, $0.host) < ($0.waiting, $1.host) }
    }

    private static func reason(_ answer: Reachability?) -> String {
        switch answer {
        case .refused: "refuses connections"
        case .nameNotFound: "is not found"
        case .unreachable(let reason): "cannot be reached: \(reason)"
        case .timedOut, .reachable, nil: "does not answer"
        }
    }

    /// Returns the notice that tells users why fewer uploads run than configured; nil if there is no reason.
    func notice(running: (UploadHost) -> Int, now: Instant) -> UploadFailure? {
        if let exhaustion { return exhaustion.notice }
        if let portal = entries.values.lazy.compactMap(\.portal).first { return portal.notice }
        for (host, entry) in entries {
            guard let limit = entry.concurrency?.limit(at: now), running(host) >= limit else { continue }
            return UploadFailure(
                .timedOut, "requests to \(host.name) time out: \(limit) at a time for now")
        }
        return nil
    }
}
