package import FerryUploads

extension QueueChangeKind {
    /// Describes what an undo or a redo has done: `put back reel.mov`. `what` are the words for the changed uploads.
    package func sentence(of what: String, at now: Date = Date(), in zone: ZoneRules) -> String {
        switch self {
        case .limited(.bandwidth(let limit)): "the limit is \(limit.sentencePart(at: now, in: zone)) now"
        case .limited(.concurrency(let number)): "\(Strings.count(number, "upload")) at once now"
        default: "\(words.done) \(what)\(kept)"
        }
    }

    /// Describes a change before it happens: `put back reel.mov`. `what` are the words for the uploads.
    package func plan(of what: String, at now: Date = Date(), in zone: ZoneRules) -> String {
        switch self {
        case .limited(.bandwidth(let limit)): "the limit becomes \(limit.sentencePart(at: now, in: zone))"
        case .limited(.concurrency(let number)): "\(Strings.count(number, "upload")) at once"
        default: "\(words.verb) \(what)"
        }
    }

    /// The verb of the change, its participle, and the participle of the earlier change that it reverses.
    fileprivate var words: (verb: String, done: String, reversed: String) {
        switch self {
        case .paused: ("pause", "paused", "resumed")
        case .resumed: ("resume", "resumed", "paused")
        case .removed, .unadded: ("remove", "removed", "added")
        case .putBack: ("put back", "put back", "removed")
        case .moved: ("move", "moved", "moved")
        case .limited: ("limit", "limited", "changed")
        case .retried: ("retry", "retried", "retried")
        }
    }

    fileprivate var kept: String {
        guard case .unadded(let done) = self, done > 0 else { return "" }
        return "; \(Strings.count(done)) more \(done == 1 ? "is done and stays" : "are done and stay")"
    }
}

extension UndoOffer {
    /// Describes an undo before it happens: `remove 600 uploads, added at 14:02`, with the date of another day.
    package func sentence(of what: String, at now: Date = Date(), in zone: ZoneRules) -> String {
        let time = Strings.moment(date, before: now, in: zone)
        if case .retried = change { return "nothing: the retry at \(time) cannot be undone" }
        let back = if case .moved = change { " back" } else { "" }
        let plan = change.plan(of: what, at: now, in: zone)
        return "\(plan)\(back), \(change.words.reversed) at \(time)\(change.kept)"
    }
}

extension BandwidthLimit {
    /// Returns the limit with its scope: `off for all uploads`.
    fileprivate func sentencePart(at now: Date, in zone: ZoneRules) -> String {
        let text = bandwidth == .unlimited && until == nil ? "off" : text(at: now, in: zone)
        return "\(text) for \(scope.text)"
    }
}
