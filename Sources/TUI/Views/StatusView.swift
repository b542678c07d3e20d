import FerryProtocols
import FerryUploads
import Foundation

/// The first line: is there a network, how fast does it go, how much is left. Banners take its place, so that
/// nothing below has to move.
struct StatusView {
    let model: Model

    func draw(row: Int, in frame: inout Frame) {
        let room = max(0, model.size.columns - 2)
        let banners = banners.map { model.appearance.safe($0) }
        if let banner = banners.first(where: { $0.width <= room }) ?? banners.last {
            frame.clear(rows: row..<(row + 1), columns: 0..<model.size.columns, role: .banner)
            let text = banner.truncated(to: room, ellipsis: model.appearance.glyphs.ellipsis)
            frame.put(text, row: row, column: 1, role: .banner, limit: room)
            return
        }
        let isShort = model.layout.sizeClass == .compact
        let activity = activity
        var column = frame.put(
            activity.sign(model.appearance.glyphs), row: row, column: 1, role: activity.role)
        // Where there is little room, a number of failures says more than this word.
        if !isShort || !hasFailures {
            column = frame.put(" \(activity.word)", row: row, column: column, role: activity.role)
        }
        for part in parts(isShort: isShort) {
            let gap = model.layout.sizeClass == .compact ? 1 : 2
            // A part that does not fit is left out as a whole; a cut number would be a wrong one.
            guard column + gap + part.text.width <= model.size.columns else { continue }
            column = frame.put(part.text, row: row, column: column + gap, role: part.role)
        }
    }

    /// `3 up 18.4M/s ETA 1:13 online`: what fits into a corner.
    var tiny: String {
        if case .silent = model.status.contact { return "engine does not answer" }
        guard !model.isEngineGone else {
            let count = model.table.running.count
            return "engine gone; \(count) \(count == 1 ? "was" : "were") up"
        }
        var parts = ["\(model.table.running.count) up"]
        if let rate = model.total.rate, !model.table.running.isEmpty {
            parts.append(ByteFormat.compact(rate) + "/s")
        }
        if let remaining = model.total.remaining { parts.append("ETA " + Wording.remaining(remaining)) }
        let failed = model.table.count(.failed)
        if failed > 0 { parts.append("\(Wording.count(failed)) failed") }
        parts.append(model.isOffline ? "OFFLINE" : activity.word)
        return parts.joined(separator: " ")
    }

    private var hasFailures: Bool { model.table.count(.failed) > 0 }

    /// The activity of the whole queue.
    private enum Activity {
        case online
        /// Nothing runs, and the next upload failed before and waits for its retry.
        case retrying
        /// The user has paused every pending upload.
        case paused

        var word: String {
            switch self {
            case .online: "online"
            case .retrying: "retrying"
            case .paused: "paused"
            }
        }

        func sign(_ glyphs: Glyphs) -> String {
            switch self {
            case .online: glyphs.online
            case .retrying: glyphs.state(.retry)
            case .paused: glyphs.state(.paused)
            }
        }

        var role: Role {
            switch self {
            case .online: .done
            case .retrying: .waiting
            case .paused: .paused
            }
        }
    }

    private var activity: Activity {
        let table = model.table
        guard table.running.isEmpty else { return .online }
        if !table.waiting.isEmpty { return .retrying }
        let isPaused = table.count(.paused) > 0 && table.count(.active) == 0 && table.count(.queued) == 0
        return isPaused ? .paused : .online
    }

    private struct Part {
        var text: SafeText
        var role: Role = .normal

        init(_ text: SafeText, _ role: Role = .normal) {
            self.text = text
            self.role = role
        }
    }

    private func parts(isShort: Bool) -> [Part] {
        var parts: [Part] = []
        let running = model.table.running.count
        if model.isFinishing {
            parts.append(Part(Self.own(isShort ? "quits then" : "quits when these are done"), .warning))
        } else if !isShort, let destination {
            parts.append(Part(model.appearance.safe(destination), .title))
        }
        if isShort, hasFailures {
            parts.append(Part(Self.own("\(Wording.count(model.table.count(.failed))) failed"), .failed))
        }
        // Before what is there all the time: where there is no room, the last ones are left out.
        if let away { parts.append(Part(model.appearance.safe(isShort ? "folder away" : away), .warning)) }
        if running > 0 {
            let up = model.appearance.glyphs.up
            let rate = model.total.rate ?? 0
            let text = isShort ? "\(up)\(ByteFormat.compact(rate))/s" : "\(up) \(ByteFormat.rate(rate))"
            parts.append(Part(Self.own(text)))
            if !isShort { parts += limit }
            let slots =
                isShort || running > model.status.concurrency
                ? "\(running) up" : "\(running) of \(model.status.concurrency) up"
            parts.append(Part(Self.own(slots)))
        } else if !isShort {
            parts += limit
        }
        if !isShort, model.tie == .attached { parts.append(Part(Self.own("attached"), .dim)) }
        let left = model.bytesLeft
        if left > 0, !isShort { parts.append(Part(Self.own("\(ByteFormat.sentence(left)) left"))) }
        if running > 0, let remaining = model.total.remaining {
            parts.append(Part(Self.own("ETA \(Wording.remaining(remaining))\(arrival(in: remaining))")))
        }
        switch activity {
        case .retrying:
            if let end = model.table.waiting.compactMap({ model.waitEnds[$0] }).min() {
                parts.append(Part(Self.own(Wording.wait(end - model.clock.seconds)), .waiting))
            }
        case .paused:
            parts.append(Part(Self.own("\(Wording.count(model.table.count(.paused))) paused"), .paused))
        case .online:
            if running == 0, left == 0, !model.table.isEmpty { parts.append(Part(Self.own("idle"), .dim)) }
        }
        let later = model.table.bytesLater
        if later > 0, !isShort { parts.append(Part(Self.own("\(ByteFormat.sentence(later)) later"), .dim)) }
        return parts
    }

    /// `/media/card is not there`, `2 folders are not there`.
    private var away: String? {
        let folders = model.status.awayFolders
        guard let first = folders.first else { return nil }
        guard folders.count == 1 else { return "\(Wording.count(folders.count)) folders are not there" }
        return model.layout.sizeClass == .wide && first.count <= Self.longestFolder
            ? "\(first) is not there" : "a folder is not there"
    }

    private static let longestFolder = 30

    /// ` (15:15)`: the time of day when all is there, where there is room and nobody knows it from the time that is left.
    private func arrival(in seconds: Double) -> String {
        guard model.layout.sizeClass == .wide, (60..<86_400).contains(seconds) else { return "" }
        let time = Wording.timeOfDay(model.clock.date + seconds, in: model.appearance.zone)
        return " (\(time.dropLast(3)))"
    }

    /// That of all uploads together; without one, that of some of them, or how many there are of these.
    private var limit: [Part] {
        let limits = model.status.limits.filter { $0.bandwidth != .unlimited }
        let total = limits.first { $0.scope == .total }
        guard let limit = total ?? limits.first else { return [] }
        guard total != nil || limits.count == 1 else {
            return [Part(Self.own("\(Wording.count(limits.count)) limits"), .dim)]
        }
        let name =
            limit.scope.name.map {
                model.appearance.safe($0).truncated(
                    to: Self.longestScope, ellipsis: model.appearance.glyphs.ellipsis
                ).text + " "
            } ?? ""
        let text = limit.text(at: model.clock.date, in: model.appearance.zone)
        return [Part(Self.own("limit \(name)\(text)"), .dim)]
    }

    private static let longestScope = 16

    /// The one place that all running uploads go to.
    private var destination: String? {
        let names = Set(model.table.running.compactMap { model.table[$0]?.target.destination })
        return names.count == 1 ? names.first.flatMap { $0.isEmpty ? nil : $0 } : nil
    }

    /// What takes the place of the status line, the fullest wording first; empty if nothing does.
    private var banners: [String] {
        if case .lost(let since) = model.status.contact {
            let time = Wording.timeOfDay(since, in: model.appearance.zone)
            let start = key(.startEngine, "start it again")
            return [
                "! The engine has gone (\(time)); nothing it acknowledged is lost.\(start)\(key(.quit, "quit"))",
                "! The engine has gone.\(start)", "! ENGINE GONE \(start)",
            ]
        }
        if case .silent(let since) = model.status.contact {
            let time = Wording.timeOfDay(since, in: model.appearance.zone)
            return [
                "! The engine does not answer (since \(time)); nothing it acknowledged is lost; `ferry status` says more",
                "! The engine does not answer (since \(time))", "! ENGINE DOES NOT ANSWER",
            ]
        }
        if model.queueHasEnded {
            return ["! The engine has stopped; what is shown may be old.\(key(.quit, "quit"))"]
        }
        if let notice = model.status.notice {
            let sign = notice.category == .timedOut ? slow : "! "
            let sentences = [[notice.summary, notice.hint].compactMap { $0 }, [notice.summary]]
                .map { sign + $0.joined(separator: "; ") }
            guard model.status.storage == .refusing else { return sentences }
            // The path is what fits least and helps least.
            let cause = notice.summary.prefix { $0 != ":" }
            let running = model.table.running.count
            return sentences + ["! \(cause), nothing is saved; \(running) up, no new ones start"]
        }
        guard case .offline(let since, let reason) = model.status.network else {
            return [askedPauses, awayHosts, signIn].first { !$0.isEmpty } ?? []
        }
        let waiting = model.table.offline.count + model.table.waiting.count
        let sign = model.appearance.glyphs.offline
        let time = Wording.timeOfDay(since, in: model.appearance.zone)
        let base =
            "\(sign) OFFLINE since \(time) - \(Wording.waiting(waiting)), nothing is lost\(key(.tryNow, "try now"))"
        return [
            "\(base)  (\(reason))", base, "\(sign) OFFLINE  \(Wording.count(waiting)) wait, nothing is lost",
        ]
    }

    private var slow: String { "\(model.appearance.glyphs.slow) SLOW  " }

    /// A server that asks to be left alone: which one, until when, and how many wait for it and others like it. What
    /// goes elsewhere meanwhile is told beside it where there is room.
    private var askedPauses: [String] {
        guard let longest = model.status.askedPauses.first else { return [] }
        let others = model.status.askedPauses.count - 1
        let waiting = model.status.askedPauses.reduce(0) { $0 + $1.waiting }
        let time = Wording.timeOfDay(longest.until, in: model.appearance.zone)
        let base =
            "\(slow)\(longest.host) asks to wait (\(longest.status)) until \(time)"
            + "\(others > 0 ? ", and \(Wording.count(others)) more" : ""); \(Wording.waiting(waiting))"
        let few = "\(Wording.count(waiting)) wait"
        let key = key(.tryNow, "try now")
        return [
            base + underWay + key, base + key, base,
            "\(slow)\(longest.host)\(others > 0 ? " +\(Wording.count(others))" : "") until \(time), \(few)",
            "\(slow)\(longest.status) until \(time), \(few)",
        ]
    }

    /// A host that does not answer, and how many uploads wait for it and others like it.
    private var awayHosts: [String] {
        guard let first = model.status.awayHosts.first else { return [] }
        let others = model.status.awayHosts.count - 1
        let waiting = model.status.awayHosts.reduce(0) { $0 + $1.waiting }
        let sign = "\(model.appearance.glyphs.slow) "
        let more = others > 0 ? " (and \(Wording.count(others)) more)" : ""
        let base = "\(sign)\(first.host) \(first.reason)\(more); \(Wording.waiting(waiting))"
        let key = key(.tryNow, "try now")
        return [
            base + underWay + key, base + key, base,
            "\(sign)\(first.host) \(first.reason)", "\(sign)\(first.reason), \(Wording.count(waiting)) wait",
        ]
    }

    /// Credentials that a server refuses: whose, and what to do once they are renewed.
    private var signIn: [String] {
        guard let id = model.table.unwelcome.min(), let first = model.table[id],
            case .held(let failure) = first.state
        else { return [] }
        let count = model.table.unwelcome.count
        let place = first.target.place
        let key = key(.retryAll, "try again")
        return [
            "! SIGN IN  \(place): \(failure.summary); \(Wording.waiting(count))\(underWay)\(key)",
            "! SIGN IN  \(place): \(failure.summary); \(Wording.waiting(count))\(key)",
            "! SIGN IN  \(place); \(Wording.waiting(count))\(key)",
            "! SIGN IN  \(place), \(Wording.count(count)) wait",
        ]
    }

    /// `; 3 up, 9.5 MB/s`; empty if nothing runs.
    private var underWay: String {
        let running = model.table.running.count
        guard running > 0 else { return "" }
        return "; \(Wording.count(running)) up" + (model.total.rate.map { ", \(ByteFormat.rate($0))" } ?? "")
    }

    /// `  [n] try now`; empty if no key does it.
    private func key(_ action: Action, _ what: String) -> String {
        model.actions.label(of: action).map { "  [\($0)] \(what)" } ?? ""
    }

    private static func own(_ text: String) -> SafeText {
        SafeText(units: text.map { SafeText.Unit(text: String($0), width: 1) })
    }
}
