import FerryProtocols
import Foundation

extension UploadQueue {
    /// Until when a host is left alone, and what it answered.
    struct HostPause {
        var end: ContinuousClock.Instant
        var status: Int
    }

    /// A server asked to be left alone for a while, in seconds. That holds for all that go there (RFC 9110 §10.2.3 does
    /// not say of what; a server that is busy is busy for all).
    func hostAsked(_ host: UploadHost, toWait seconds: Double, status: Int) {
        if pendingAtHosts == nil { pendingAtHosts = countPending() }
        let pause = HostPause(end: clock.now().advanced(by: .seconds(seconds)), status: status)
        if let known = askedPauses[host], known.end >= pause.end { return }
        askedPauses[host] = pause
    }

    /// What people are told of it: the pauses that uploads wait for, the longest first.
    var shownPauses: [AskedPause] {
        guard !askedPauses.isEmpty else { return [] }
        let (now, date) = (clock.now(), clock.date())
        return askedPauses.compactMap { host, pause in
            let waiting = (pendingAtHosts?[host] ?? 0) - running(at: host)
            guard pause.end > now, waiting > 0 else { return nil }
            return AskedPause(
                host: host.name, status: pause.status,
                until: date.addingTimeInterval(now.duration(to: pause.end) / .seconds(1)), waiting: waiting)
        }.sorted { ($1.until, $0.host) < ($0.until, $1.host) }
    }

    /// Keeps the counts true when an upload comes, goes or gets into another state.
    func recount(_ upload: Upload, wasPending: Bool, isPending: Bool) {
        guard pendingAtHosts != nil, wasPending != isPending else { return }
        pendingAtHosts?[runner.host(of: upload), default: 0] += isPending ? 1 : -1
    }

    /// Of a queue whose servers all answer, and never asked to wait, nobody needs to know.
    func countPending() -> [UploadHost: Int] {
        var counts: [UploadHost: Int] = [:]
        for upload in uploads.values where upload.state.isPending {
            counts[runner.host(of: upload), default: 0] += 1
        }
        return counts
    }
}
