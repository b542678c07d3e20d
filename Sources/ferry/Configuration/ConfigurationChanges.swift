/// The differences between the configuration of a running engine and the one that replaces it.
struct ConfigurationChanges: Codable, Equatable {
    var added: [String] = []
    var changed: [String] = []
    var removed: [String] = []
    /// The changed keys outside `destinations` whose new values take effect at once.
    var now: [String] = []
    /// The changed keys whose new values take effect at the engine's next start.
    var atNextStart: [String] = []

    /// - Parameter first: The configuration with which the engine started, for the keys that it reads only then.
    init(from old: Configuration, to new: Configuration, since first: Configuration) {
        let (before, after) = (old.destinations, new.destinations)
        added = after.keys.filter { before[$0] == nil }.sorted()
        changed = after.keys.filter { before[$0] != nil && before[$0] != after[$0] }.sorted()
        removed = before.keys.filter { after[$0] == nil }.sorted()
        now = Self.live.filter { $0.differs(old, new) }.map(\.key)
        atNextStart = Self.fixed.filter { $0.differs(first, new) }.map(\.key)
    }

    /// Adds what waits for the next start, because the engine watches the same folders until then.
    ///
    /// - Parameters:
    ///   - new: The destination of each watched folder in the new configuration.
    ///   - running: The destination of each folder that the engine watches now.
    ///   - needed: The destinations that the new configuration lacks and the watched folders still use.
    mutating func wait(leadingTo new: [String], insteadOf running: [String], keeping needed: Set<String>) {
        if new != running, !atNextStart.contains("watch") { atNextStart.append("watch") }
        atNextStart += needed.sorted().map { "destinations.\($0)" }
    }

    var isEmpty: Bool {
        [added, changed, removed, now, atNextStart].allSatisfy(\.isEmpty)
    }

    private typealias Part = (key: String, differs: @Sendable (Configuration, Configuration) -> Bool)

    /// The keys that are compared for `now` and `atNextStart`: all but `destinations`.
    static var keys: [String] { (live + fixed).map(\.key) }

    private static let live: [Part] = [
        ("defaultDestination", { $0.defaultDestination != $1.defaultDestination }),
        ("limits", { $0.limits != $1.limits }),
        ("retry", { $0.retry != $1.retry }),
        ("whenFileChanges", { $0.whenFileChanges != $1.whenFileChanges }),
        ("timeouts", { $0.timeouts.ofConnections != $1.timeouts.ofConnections }),
        ("proxy", { $0.proxy != $1.proxy }),
    ]

    private static let fixed: [Part] = [
        ("timeouts.read", { $0.timeouts.read != $1.timeouts.read }),
        ("connectivity", { $0.connectivity != $1.connectivity }),
        ("appearance", { $0.appearance != $1.appearance }),
        ("keys", { $0.actions != $1.actions }),
        ("onHangUp", { $0.onHangUp != $1.onHangUp }),
        ("hooks", { $0.hooks != $1.hooks }),
        ("notify", { $0.notify != $1.notify }),
        ("watch", { $0.watch != $1.watch }),
    ]
}

extension TimeoutSettings {
    fileprivate var ofConnections: [Double] { [connect, stall, response] }
}
