public import FerryUploads
public import Foundation

extension QueueChangeKind {
    /// What was undone or done again: `put back reel.mov`.
    ///
    /// - Parameters:
    ///   - now: From a day on, a moment has its day of the week.
    ///   - zone: Where the clock is that times of day are told by.
    public func told(of what: String, count: Int, at now: Date = Date(), in zone: TimeZone) -> String {
        switch self {
        case .paused: "paused \(what)"
        case .resumed: "\(what) \(count == 1 ? "goes" : "go") on"
        case .removed: "removed \(what)"
        case .putBack: "put back \(what)"
        case .moved: "moved \(what)"
        case .limited(.bandwidth(let limit)): "the limit is \(limit.sentencePart(at: now, in: zone)) now"
        case .limited(.concurrency(let number)): "\(Wording.count(number, "upload")) at once now"
        }
    }
}

extension BandwidthLimit {
    /// `2 MB/s until 18:00 for uploads to films`, `off for all uploads together`.
    fileprivate func sentencePart(at now: Date, in zone: TimeZone) -> String {
        let text = bandwidth == .unlimited && until == nil ? "off" : text(at: now, in: zone)
        return "\(text) for \(scope.text)"
    }
}
