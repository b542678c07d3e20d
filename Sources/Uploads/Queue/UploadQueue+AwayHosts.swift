import FerryConnectivity

extension UploadQueue {
    /// What people are told of hosts that are away: those that uploads wait for, the most awaited first.
    var shownAwayHosts: [AwayHost] {
        guard !hosts.isEmpty else { return [] }
        return hosts.compactMap { host, schedule in
            let waiting = (pendingAtHosts?[host] ?? 0) - running(at: host)
            guard !schedule.isReachable, waiting > 0 else { return nil }
            return AwayHost(host: host.name, reason: Self.reason(schedule.answer), waiting: waiting)
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
}
