public import Uploads

extension QueueChangeKind {
    /// What was undone or done again: `put back reel.mov`.
    public func told(of what: String, count: Int) -> String {
        switch self {
        case .paused: "paused \(what)"
        case .resumed: "\(what) \(count == 1 ? "goes" : "go") on"
        case .removed: "removed \(what)"
        case .putBack: "put back \(what)"
        case .moved: "moved \(what)"
        case .limited: "the limit is another again"
        }
    }
}
