import FerryProtocols
import FerryTUI
import FerryUploads

/// The content of a configuration file. An unknown key is an error, so that users notice a misspelled one.
struct Configuration: Decodable, Equatable {
    var destinations: [String: DestinationSettings] = [:]
    var defaultDestination: String?
    var limits = LimitSettings()
    var retry = RetrySettings()
    var timeouts = TimeoutSettings()
    var connectivity = ConnectivitySettings()
    var appearance = AppearanceSettings()
    /// The actions of the screen with their keys, which users change with the member `keys`.
    var actions = ActionTable.standard
    /// The proxy for destinations without their own proxy, and for URLs given with `--to`.
    var proxy = ProxyChoice.environment
    var onHangUp = HangUpPolicy.stop
    var whenFileChanges = FileChangePolicy.hold
    var hooks = HookSettings()
    var notify = NotifySettings()
    var watch: [WatchSettings] = []

    init() {}

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, ConfigurationTable.root)
        destinations = try fields.value("destinations") ?? [:]
        defaultDestination = try fields.value("defaultDestination")
        limits = try fields.value("limits") ?? LimitSettings()
        retry = try fields.value("retry") ?? RetrySettings()
        timeouts = try fields.value("timeouts") ?? TimeoutSettings()
        connectivity = try fields.value("connectivity") ?? ConnectivitySettings()
        appearance = try fields.value("appearance") ?? AppearanceSettings()
        actions = try Self.actions(fields.value("keys") ?? [:])
        proxy = try fields.value("proxy") ?? proxy
        onHangUp = try fields.choice("onHangUp") ?? onHangUp
        whenFileChanges = try fields.choice("whenFileChanges") ?? whenFileChanges
        hooks = try fields.value("hooks") ?? hooks
        notify = try fields.value("notify") ?? notify
        watch = try fields.value("watch") ?? watch
        if let name = defaultDestination, destinations[name] == nil {
            throw fields.error(
                "defaultDestination",
                "the name of one of the destinations\(destinationsKnown(for: name))")
        }
        for (index, watch) in watch.enumerated() {
            guard let name = watch.to, !name.contains("://"), destinations[name] == nil else { continue }
            throw ConfigurationIssue(
                path: ["watch", "\(index)", "to"],
                expected: "an address, or the name of one of the destinations\(destinationsKnown(for: name))")
        }
    }

    /// Returns the end of a message about the unknown destination `word`: the known ones, and a similar name.
    private func destinationsKnown(for word: String) -> String {
        let names = destinations.keys.sorted()
        guard !names.isEmpty else { return "; none is configured" }
        let nearest = Suggestions.nearest(to: word, among: names)
        return " (\(names.joined(separator: ", ")))"
            + (nearest.map { "; \(Suggestions.question([$0]))" } ?? "")
    }

    private static func actions(_ keys: [String: [String]]) throws -> ActionTable {
        do throws(RebindingError) { return try ActionTable.standard.rebinding(keys) } catch {
            throw ConfigurationIssue(path: ["keys", error.action], expected: error.expected)
        }
    }

    /// The bandwidth limits that are set: that of all uploads, then those of destinations, sorted by name.
    var timetables: [(LimitScope, Timetable)] {
        let destinations = destinations.sorted { $0.key < $1.key }.map {
            (LimitScope.destination($0.key), $0.value.bandwidth)
        }
        return ([(.total, limits.bandwidth)] + destinations).filter { $0.1 != Timetable() }
    }

    var followsQueue: Bool { !hooks.commands.isEmpty || notify.desktop }

    /// The keys of the secrets that cannot be read now, each with the reason.
    var missingSecrets: [String] {
        var secrets = [("proxy", proxy.password)]
        for (name, destination) in destinations.sorted(by: { $0.key < $1.key }) {
            secrets += destination.authentication.secrets.map { ("destinations.\(name).auth", $0) }
            secrets.append(("destinations.\(name).proxy", destination.proxy?.password))
        }
        return secrets.compactMap { place, secret in (secret?.absence).map { "\(place): \($0)" } }
    }

    var warnings: [String] {
        destinations.sorted { $0.key < $1.key }.flatMap { name, destination in
            destination.warnings.map { "destinations.\(name): \($0)" }
        }
    }
}

struct LimitSettings: Decodable, Equatable {
    /// The maximum number of uploads at once; nil for 4, or up to 256 small files if `perHost` is nil, too.
    var concurrency: Int?
    /// The maximum number of uploads at once to one host; nil for the limit `concurrency`.
    var perHost: Int?
    var bandwidth = Timetable()
    var done = 1000

    init() {}

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, ConfigurationTable.limits)
        concurrency = try fields.number("concurrency")
        perHost = try fields.number("perHost")
        bandwidth = try fields.timetable()
        done = try fields.number("done") ?? done
    }
}

struct RetrySettings: Decodable, Equatable {
    var base = 1.0
    var cap = 120.0
    var serverTries = 10
    var onUncertain = QueueRetryPolicy.OnUncertain.hold

    init() {}

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, ConfigurationTable.retry)
        base = try fields.seconds("base") ?? base
        cap = try fields.seconds("cap") ?? cap
        serverTries = try fields.number("serverTries") ?? serverTries
        onUncertain = try fields.choice("onUncertain") ?? onUncertain
    }
}

struct TimeoutSettings: Decodable, Equatable {
    var connect = 15.0
    var stall = 30.0
    var response = 60.0
    var read = 30.0

    init() {}

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, ConfigurationTable.timeouts)
        connect = try fields.seconds("connect") ?? connect
        stall = try fields.seconds("stall") ?? stall
        response = try fields.seconds("response") ?? response
        read = try fields.seconds("read") ?? read
    }
}

struct ConnectivitySettings: Decodable, Equatable {
    /// True if Ferry watches the network. Otherwise it is taken to be always up.
    var monitor = true
    var policy = NetworkPolicy()

    init() {}

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, ConfigurationTable.connectivity)
        monitor = try fields.value("monitor") ?? monitor
        policy.metered = try fields.choice("metered") ?? policy.metered
        policy.avoided = try fields.value("pauseOn") ?? policy.avoided
        if policy.isNeeded, !monitor {
            throw fields.error("monitor", "true, for metered or pauseOn to be watched")
        }
    }
}

struct AppearanceSettings: Decodable, Equatable {
    enum Graph: String, Decodable, CaseIterable {
        case auto, braille, block, ascii

        /// The style of graphs; nil if the screen chooses the best one for the terminal.
        var style: GraphStyle? { GraphStyle(rawValue: rawValue) }
    }

    var colour = Screen.Configuration.Colour.auto
    var glyphs = Screen.Configuration.GlyphChoice.auto
    var theme = ThemeChoice.builtIn(.standard)
    var graph = Graph.auto
    var mouse = true
    /// True if the screen draws at most one frame a second while no key is pressed, for slow connections.
    var isSlow = false

    init() {}

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, ConfigurationTable.appearance)
        colour = try fields.choice("color") ?? colour
        glyphs = try fields.choice("glyphs") ?? glyphs
        theme = try ThemeChoice(fields) ?? theme
        graph = try fields.choice("graph") ?? graph
        mouse = try fields.value("mouse") ?? mouse
        isSlow = try fields.value("slow") ?? isSlow
    }
}
