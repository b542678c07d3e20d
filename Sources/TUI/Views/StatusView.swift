import FerryProtocols
import FerryUploads

/// The first line of the screen: the network, the total rate and the remaining bytes. A banner with a warning replaces
/// them, and takes no line of its own, so that the lines below do not move.
struct StatusView {
    let model: Model

    func draw(row: Int, in frame: inout Frame) {
        let room = max(0, model.size.columns - 2)
        if let banner = model.appearance.fitting(banners, in: room) {
            frame.clear(rows: row..<(row + 1), columns: 0..<model.size.columns, role: .banner)
            frame.put(banner, row: row, column: 1, role: .banner, limit: room)
            return
        }
        let isShort = model.layout.sizeClass == .compact
        var column: Int
        let problem = model.appearance.fitting(hostProblem, in: room / 2)
        if let problem {
            column = frame.put(problem, row: row, column: 1, role: .banner)
        } else {
            let (sign, role) = activitySign
            column = frame.put(sign, row: row, column: 1, role: role)
            // On a small screen, a number of failures is more useful than this word.
            if !isShort || !hasFailures {
                column = frame.put(" \(activity.rawValue)", row: row, column: column, role: role)
            }
        }
        for part in parts(isShort: isShort, withDestination: problem == nil) {
            let gap = isShort ? 1 : 2
            // A part that does not fit is left out as a whole; a cut number would be wrong.
            guard column + gap + part.text.width <= model.size.columns else { continue }
            column = frame.put(part.text, row: row, column: column + gap, role: part.role)
        }
    }

    /// The state in few words for a tiny screen, without the parts that do not fit: `3 up 18M/s ETA 01:13 online`.
    var tiny: String {
        if model.isSilent { return "engine does not answer" }
        guard !model.isEngineGone else { return "engine gone; \(model.table.running.count) stopped" }
        var parts = ["\(model.table.running.count) up"]
        if model.isOffline { parts.append("OFFLINE") }
        if let rate = model.live.estimates.total.rate, !model.table.running.isEmpty {
            parts.append(ByteFormat.compact(rate) + "/s")
        }
        if let remaining = model.live.estimates.total.remaining {
            parts.append("ETA " + Strings.remaining(remaining))
        }
        let failed = model.table.count(.failed)
        if failed > 0 { parts.append("\(Strings.count(failed)) failed") }
        if !model.isOffline { parts.append(activity.rawValue) }
        return parts.dropFirst().reduce(parts[0]) { text, part in
            text.count + 1 + part.count <= model.size.columns ? "\(text) \(part)" : text
        }
    }

    private var hasFailures: Bool { model.table.count(.failed) > 0 }

    private enum Activity: String { case online, retrying, paused }

    private var activity: Activity {
        let table = model.table
        if table.running.isEmpty, !table.waiting.isEmpty { return .retrying }
        let others = table.count(.active) + table.count(.queued)
        return table.count(.paused) > 0 && others == 0 ? .paused : .online
    }

    private var activitySign: (String, Role) {
        let glyphs = model.appearance.glyphs
        return switch activity {
        case .online: (glyphs.online, .done)
        case .retrying: (glyphs.state(.waiting), .waiting)
        case .paused: (glyphs.state(.paused), .paused)
        }
    }

    private func parts(isShort: Bool, withDestination: Bool) -> [DialogBox.Span] {
        var parts: [DialogBox.Span] = []
        func add(_ text: String, _ role: Role = .normal) { parts.append(.init(SafeText(own: text), role)) }
        let running = model.table.running.count
        if model.phase == .finishing {
            add(isShort ? "quits then" : "quits when these are done", .warning)
        } else if !isShort, withDestination, let destination {
            parts.append(.init(model.appearance.safe(destination), .title))
        }
        if isShort, hasFailures { add("\(Strings.count(model.table.count(.failed))) failed", .failed) }
        // A part is left out if those before it leave too little space, so this warning comes early.
        if let away { parts.append(.init(model.appearance.safe(isShort ? "folder away" : away), .warning)) }
        if running > 0 {
            let up = model.appearance.glyphs.up
            let rate = model.live.estimates.total.rate ?? 0
            add(isShort ? "\(up)\(ByteFormat.compact(rate))/s" : "\(up) \(ByteFormat.rate(rate))")
        }
        if !isShort, let limit { add(limit, .dim) }
        if running > 0 {
            let most = model.status.concurrency
            add(isShort ? "\(running) up" : "\(running)\(running > most ? "" : " of \(most)") uploading")
            if let remaining = model.live.estimates.total.remaining {
                add("ETA \(Strings.remaining(remaining))\(arrival(in: remaining))")
            }
        }
        let left = model.bytesLeft
        if left > 0, !isShort { add("\(ByteFormat.sentence(left)) left") }
        switch activity {
        case .retrying:
            if let end = model.table.waiting.compactMap({ model.live.waitEnds[$0] }).min() {
                add("next try \(Strings.wait(end - model.clock.seconds))", .waiting)
            }
        case .online where running == 0 && left == 0 && !model.table.isEmpty: add("idle", .dim)
        case .online, .paused: break
        }
        let paused = model.table.count(.paused)
        if paused > 0, activity != .retrying { add("\(Strings.count(paused)) paused", .paused) }
        let later = model.table.bytesLater
        if later > 0, !isShort { add("\(ByteFormat.sentence(later)) later", .dim) }
        if !isShort, model.ownership == .attached { add("attached", .dim) }
        return parts
    }

    /// The warning about missing watch folders: `/media/card is not there` or `2 folders are not there`.
    private var away: String? {
        let folders = model.status.awayFolders
        guard let first = folders.first else { return nil }
        guard folders.count == 1 else { return "\(Strings.count(folders.count)) folders are not there" }
        let isNamed = model.layout.sizeClass == .wide && first.count <= Self.longestFolder
        return "\(isNamed ? first : "a folder") is not there"
    }

    private static let longestFolder = 30

    /// Returns ` (15:15)`, when the uploads end, on a wide screen.
    private func arrival(in seconds: Double) -> String {
        guard model.layout.sizeClass == .wide, (60..<86_400).contains(seconds) else { return "" }
        return " (\(time(model.clock.date + seconds).dropLast(3)))"
    }

    private func time(_ date: Date) -> String { Strings.timeOfDay(date, in: model.appearance.zone) }

    /// The total limit (`limit 2 MiB/s`), else the only other one (`limit films 2 MiB/s`), else their number.
    private var limit: String? {
        let limits = model.status.limits.filter { $0.bandwidth != .unlimited }
        let total = limits.first { $0.scope == .total }
        guard let limit = total ?? limits.first else { return nil }
        guard total != nil || limits.count == 1 else { return "\(Strings.count(limits.count)) limits" }
        let name =
            limit.scope.name.map { model.appearance.truncated($0, to: Self.longestScope).text + " " } ?? ""
        let text = limit.text(at: model.clock.date, in: model.appearance.zone)
        return "limit \(name)\(text)"
    }

    private static let longestScope = 16

    private var destination: String? {
        let names = Set(model.table.running.compactMap { model.table[$0]?.target.destination })
        return names.count == 1 ? names.first.flatMap { $0.isEmpty ? nil : $0 } : nil
    }

    /// The banner in several versions, the longest first, as in all banners below; empty for none.
    private var banners: [String] {
        switch model.status.contact {
        case .lost(let since):
            let start = key(.startEngine, "start it again")
            return [
                "! The engine has gone (\(time(since))); nothing it acknowledged is lost.\(start)\(key(.quit, "quit"))",
                "! The engine has gone.\(start)", "! ENGINE GONE \(start)",
            ]
        case .refused(let failure): return ["! \(failure.sentence)", "! \(failure.summary)", "! REFUSED"]
        case .silent(let since):
            let start = "! The engine does not answer (since \(time(since)))"
            return [
                "\(start); nothing it acknowledged is lost; `ferry status` says more", start,
                "! ENGINE DOES NOT ANSWER",
            ]
        case .here: break
        }
        if model.hasQueueEnded {
            return ["! The engine has stopped; what is shown may be old.\(key(.quit, "quit"))"]
        }
        if let notice = model.status.notice {
            let sign = notice.category == .timedOut ? slow : "! "
            let sentences = [sign + notice.sentence, sign + notice.summary]
            guard model.status.storage == .refusing else { return sentences }
            // The path is the longest and least useful part.
            let cause = notice.summary.prefix { $0 != ":" }
            let running = model.table.running.count
            return sentences + ["! \(cause), nothing is saved; \(running) running, no new ones start"]
        }
        guard case .offline(let since, let reason) = model.status.network else {
            return model.table.running.isEmpty ? hostProblem : []
        }
        let waiting = model.table.offline.count + model.table.waiting.count
        let sign = model.appearance.glyphs.offline
        let base =
            "\(sign) OFFLINE since \(time(since)) - \(Strings.waiting(waiting)), nothing is lost\(key(.tryNow, "try now"))"
        return [
            "\(base)  (\(reason))", base, "\(sign) OFFLINE  \(Strings.count(waiting)) wait, nothing is lost",
        ]
    }

    private var hostProblem: [String] {
        model.isOffline ? [] : [unreachableHosts, retryAfterPauses, signIn].first { !$0.isEmpty } ?? []
    }

    private var slow: String { "\(model.appearance.glyphs.slow) SLOW  " }

    private var retryAfterPauses: [String] {
        let pauses = model.status.retryAfterPauses
        guard let longest = pauses.first else { return [] }
        let others = pauses.count - 1
        let waiting = pauses.reduce(0) { $0 + $1.waiting }
        let time = time(longest.until)
        let base =
            "\(slow)\(longest.host) asks to wait (\(longest.status)) until \(time)"
            + "\(others > 0 ? ", and \(Strings.count(others)) more" : ""); \(Strings.waiting(waiting))"
        let few = "\(Strings.count(waiting)) wait"
        return versions(base) + [
            "\(slow)\(longest.host)\(others > 0 ? " +\(Strings.count(others))" : "") until \(time), \(few)",
            "\(slow)\(longest.status) until \(time), \(few)",
        ]
    }

    private var unreachableHosts: [String] {
        guard let first = model.status.unreachableHosts.first else { return [] }
        let others = model.status.unreachableHosts.count - 1
        let waiting = model.status.unreachableHosts.reduce(0) { $0 + $1.waiting }
        let sign = "\(model.appearance.glyphs.slow) "
        let more = others > 0 ? " (and \(Strings.count(others)) more)" : ""
        let base = "\(sign)\(first.host) \(first.reason)\(more); \(Strings.waiting(waiting))"
        return versions(base) + [
            "\(sign)\(first.host) \(first.reason)", "\(sign)\(first.reason), \(Strings.count(waiting)) wait",
        ]
    }

    private func versions(_ base: String) -> [String] { [base + key(.tryNow, "try now"), base] }

    private var signIn: [String] {
        guard let id = model.table.signInRequired.min(), let first = model.table[id],
            case .held(let failure) = first.state
        else { return [] }
        let summary = failure.advised(for: first.target.destination).summary
        let count = model.table.signInRequired.count
        let start = "! SIGN IN  \(first.target.destinationText)"
        let (held, key) = ("\(Strings.count(count, "upload")) held", key(.retryAll, "try again"))
        return [
            "\(start): \(summary); \(held)\(key)", "\(start); \(held)\(key)",
            "\(start), \(Strings.count(count)) held",
        ]
    }

    /// Returns `  [n] try now`; empty if the action has no key.
    private func key(_ action: Action, _ what: String) -> String {
        model.actions.label(of: action).map { "  [\($0)] \(what)" } ?? ""
    }
}
