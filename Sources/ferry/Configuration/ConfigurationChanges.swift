/// The differences between two configurations of a running engine: the one in use, and the one that replaces it.
struct ConfigurationChanges: Codable, Equatable {
    /// The names of new destinations.
    var added: [String] = []
    /// The names of changed destinations.
    var changed: [String] = []
    /// The names of removed destinations.
    var removed: [String] = []
    /// The changed keys outside `destinations` whose new values take effect at once.
    var now: [String] = []
    /// The changed keys whose new values take effect at the engine's next start.
    var atNextStart: [String] = []

    /// - Parameter first: The configuration with which the engine started. The engine reads some keys only when it
    ///   starts. For these keys, `new` is compared with `first` instead of `old`.
    init(from old: Configuration, to new: Configuration, since first: Configuration) {
        let (before, after) = (old.destinations, new.destinations)
        added = after.keys.filter { before[$0] == nil }.sorted()
        changed = after.keys.filter { before[$0] != nil && before[$0] != after[$0] }.sorted()
        removed = before.keys.filter { after[$0] == nil }.sorted()
        now = Self.live.filter { $0.differs(old, new) }.map(\.key)
        atNextStart = Self.fixed.filter { $0.differs(first, new) }.map(\.key)
    }

    /// Adds the key `watch` to `atNextStart` if the destinations of the watched folders have changed. Also adds the
    /// destinations in `needed`. Until its next start, the engine watches the same folders as before, with the same
    /// destinations.
    ///
    /// - Parameters:
    ///   - new: The destination of each watched folder in the new configuration.
    ///   - running: The destination of each folder that the engine watches now.
    ///   - needed: The names of destinations that the watched folders still use, although the new configuration does
    ///     not contain them.
    mutating func wait(leadingTo new: [String], insteadOf running: [String], keeping needed: Set<String>) {
        if new != running, !atNextStart.contains("watch") { atNextStart.append("watch") }
        atNextStart += needed.sorted().map { "destinations.\($0)" }
    }

    var isEmpty: Bool {
        [added, changed, removed, now, atNextStart].allSatisfy(\.isEmpty)
    }

    private struct Part: Sendable {
        let key: String
        let differs: @Sendable (Configuration, Configuration) -> Bool

        init(_ key: String, _ differs: @escaping @Sendable (Configuration, Configuration) -> Bool) {
            self.key = key
            self.differs = differs
        }
    }

    /// The keys that are compared for `now` and `atNextStart`. The key `destinations` is not among them: its members
    /// are compared for `added`, `changed` and `removed`.
    static var keys: [String] { (live + fixed).map(\.key) }

    private static let live = [
        Part("defaultDestination") { $0.defaultDestination != $1.defaultDestination },
        Part("limits") { $0.limits != $1.limits },
        Part("retry") { $0.retry != $1.retry },
        Part("whenFileChanges") { $0.whenFileChanges != $1.whenFileChanges },
        Part("timeouts") { $0.timeouts.ofConnections != $1.timeouts.ofConnections },
        Part("proxy") { $0.proxy != $1.proxy },
    ]

    private static let fixed = [
        Part("timeouts.read") { $0.timeouts.read != $1.timeouts.read },
        Part("connectivity") { $0.connectivity != $1.connectivity },
        Part("appearance") { $0.appearance != $1.appearance },
        Part("keys") { $0.actions != $1.actions },
        Part("onHangUp") { $0.onHangUp != $1.onHangUp },
        Part("hooks") { $0.hooks != $1.hooks },
        Part("notify") { $0.notify != $1.notify },
        Part("watch") { $0.watch != $1.watch },
    ]
}

extension TimeoutSettings {
    fileprivate var ofConnections: [Double] { [connect, stall, response] }
}
