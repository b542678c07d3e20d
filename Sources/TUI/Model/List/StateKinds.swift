import FerryUploads

/// The kinds of states that the filter knows.
struct StateKinds: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let queued = StateKinds(rawValue: 1)
    static let running = StateKinds(rawValue: 2)
    static let waiting = StateKinds(rawValue: 4)
    static let offline = StateKinds(rawValue: 8)
    static let paused = StateKinds(rawValue: 16)
    static let held = StateKinds(rawValue: 32)
    static let failed = StateKinds(rawValue: 64)
    static let done = StateKinds(rawValue: 128)

    /// The words for the kinds.
    static let words: [(text: String, kinds: StateKinds)] = [
        ("queued", .queued), ("up", .running), ("running", .running), ("retry", .waiting),
        ("waiting", [.waiting, .offline]), ("offline", .offline), ("paused", .paused), ("held", .held),
        ("failed", .failed), ("done", .done),
    ]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Creates the kinds whose words have this beginning.
    init(wordsFrom beginning: String) {
        self.init(Self.words.filter { $0.text.hasPrefix(beginning) }.map(\.kinds))
    }

    init(_ state: Upload.State) {
        self =
            switch state {
            case .queued: .queued
            case .running: .running
            case .waiting: .waiting
            case .paused(.offline): .offline
            case .paused: .paused
            case .held: .held
            case .failed: .failed
            case .done: .done
            }
    }
}
