/// The differences of a configuration that takes the place of another one in a running engine.
struct ConfigurationChanges: Codable, Equatable {
    /// Names of destinations that were not there.
    var added: [String] = []
    /// Names of destinations that are there in another way.
    var changed: [String] = []
    /// Names of destinations that are not there any more.
    var removed: [String] = []
    /// The other keys whose new values apply from now on.
    var now: [String] = []
    /// The keys whose new values apply from the next start on.
    var atNextStart: [String] = []

    /// - Parameters:
    ///   - old: The one that held until now.
    ///   - first: The one that the engine was started with.
    init(from old: Configuration, to new: Configuration, since first: Configuration) {
        let (before, after) = (old.destinations, new.destinations)
        added = after.keys.filter { before[$0] == nil }.sorted()
        changed = after.keys.filter { before[$0] != nil && before[$0] != after[$0] }.sorted()
        removed = before.keys.filter { after[$0] == nil }.sorted()
        now = Self.live.filter { $0.differs(old, new) }.map(\.key)
        atNextStart = Self.fixed.filter { $0.differs(first, new) }.map(\.key)
    }

    /// Tells what watched folders leave to the next start: they go on to where they went.
    ///
    /// - Parameters:
    ///   - new: Where the folders of the configuration go, in their order.
    ///   - running: Where those go that are watched now.
    ///   - needed: Names of destinations that would not be there any more without them.
    mutating func wait(leadingTo new: [String], insteadOf running: [String], keeping needed: Set<String>) {
        if new != running, !atNextStart.contains("watch") { atNextStart.append("watch") }
        atNextStart += needed.sorted().map { "destinations.\($0)" }
    }

    /// True if the configuration is as it was.
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

    /// The keys that are compared; `destinations` is compared besides.
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
