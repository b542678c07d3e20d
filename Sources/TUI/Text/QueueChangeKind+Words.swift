package import FerryUploads

extension QueueChangeKind {
    /// Describes what an undo or a redo has done: `put back reel.mov`. `what` are the words for the changed uploads.
    package func sentence(of what: String, at now: Date = Date(), in zone: ZoneRules) -> String {
        switch self {
        case .paused: "paused \(what)"
        case .resumed: "resumed \(what)"
        case .removed: "removed \(what)"
        case .unadded(let done): "removed \(what)\(Self.kept(done))"
        case .putBack: "put back \(what)"
        case .moved: "moved \(what)"
        case .limited(.bandwidth(let limit)): "the limit is \(limit.sentencePart(at: now, in: zone)) now"
        case .limited(.concurrency(let number)): "\(Strings.count(number, "upload")) at once now"
        case .retried: "retried \(what)"
        }
    }

    /// Describes a change before it happens: `put back reel.mov`. `what` are the words for the uploads.
    package func plan(of what: String, at now: Date = Date(), in zone: ZoneRules) -> String {
        switch self {
        case .paused: "pause \(what)"
        case .resumed: "resume \(what)"
        case .removed, .unadded: "remove \(what)"
        case .putBack: "put back \(what)"
        case .moved: "move \(what)"
        case .limited(.bandwidth(let limit)): "the limit becomes \(limit.sentencePart(at: now, in: zone))"
        case .limited(.concurrency(let number)): "\(Strings.count(number, "upload")) at once"
        case .retried: "retry \(what)"
        }
    }

    fileprivate static func kept(_ done: Int) -> String {
        guard done > 0 else { return "" }
        return "; \(Strings.count(done)) more \(done == 1 ? "is done and stays" : "are done and stay")"
    }
}

extension UndoOffer {
    /// Describes an undo before it happens: `remove 600 uploads, added at 14:02`, with the date of another day.
    package func sentence(of what: String, at now: Date = Date(), in zone: ZoneRules) -> String {
        let time = Strings.moment(date, before: now, in: zone)
        let plan = change.plan(of: what, at: now, in: zone)
        return switch change {
        case .paused: "\(plan), resumed at \(time)"
        case .resumed: "\(plan), paused at \(time)"
        case .removed: "\(plan), added at \(time)"
        case .unadded(let done): "\(plan), added at \(time)\(QueueChangeKind.kept(done))"
        case .putBack: "\(plan), removed at \(time)"
        case .moved: "\(plan) back, moved at \(time)"
        case .limited: "\(plan), changed at \(time)"
        case .retried: "nothing: the retry at \(time) cannot be undone"
        }
    }
}

extension BandwidthLimit {
    /// Returns the limit with its scope: `off for all uploads`.
    fileprivate func sentencePart(at now: Date, in zone: ZoneRules) -> String {
        let text = bandwidth == .unlimited && until == nil ? "off" : text(at: now, in: zone)
        return "\(text) for \(scope.text)"
    }
}
