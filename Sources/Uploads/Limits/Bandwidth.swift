public import FerryFiles
public import FerryProtocols

/// A limit on the rate of uploads.
public enum Bandwidth: Hashable, Codable, Sendable {
    case unlimited
    /// The limit in bytes per second, 1 or more.
    case atMost(ByteCount)

    /// The limit in bytes per second; nil without a limit.
    public var rate: ByteCount? {
        switch self {
        case .unlimited: nil
        case .atMost(let rate): rate
        }
    }
}

extension Bandwidth {
    /// Reads a limit that a user typed: `20M`, `1.5 MB/s`, `off` for no limit; nil for `auto`, which restores the
    /// configured limit.
    ///
    /// - Throws: `UploadFailure` (`permanent`) that lists the valid forms.
    public static func parse(_ text: String) throws(UploadFailure) -> Bandwidth? {
        let word = text.filter { !$0.isWhitespace }.lowercased()
        if word == "auto" { return nil }
        if word == "off" { return .unlimited }
        guard let rate = ByteFormat.parse(word) else {
            throw UploadFailure(
                .permanent, word.isEmpty ? "no limit is given" : "'\(text)' is not a limit",
                hint: "20M or 800K (MiB or KiB per second), off for no limit, auto for the usual limit")
        }
        // 0 is ambiguous: some users mean that nothing is sent, others that there is no limit.
        guard rate > 0 else {
            throw UploadFailure(
                .permanent, "'\(text)' is not a limit",
                hint: "off takes the limit away, pause stops the uploads")
        }
        return .atMost(rate)
    }
}

/// The uploads that share a limit.
public enum LimitScope: Hashable, Comparable, Codable, Sendable {
    case total
    /// The uploads to a destination, by its name in the configuration.
    case destination(String)
    /// The uploads of a batch, by its name.
    case batch(String)
}

/// The limit that applies to a scope at this moment, and its origin.
public struct BandwidthLimit: Hashable, Codable, Sendable {
    /// The origin of a limit.
    public enum Origin: String, Hashable, Codable, Sendable {
        /// A command set the limit. It applies until another command changes it.
        case command
        case timetable
        case configuration
    }

    /// The uploads that share the limit.
    public var scope: LimitScope
    /// The limit itself.
    public var bandwidth: Bandwidth
    /// The origin of the limit: a command, a timetable or the configuration.
    public var origin: Origin
    /// The time when the timetable changes the limit; nil if it never does, or if a command set the limit.
    public var until: Date?

    public init(
        _ scope: LimitScope, _ bandwidth: Bandwidth, origin: Origin = .configuration, until: Date? = nil
    ) {
        self.scope = scope
        self.bandwidth = bandwidth
        self.origin = origin
        self.until = until
    }
}

extension BandwidthLimit {
    static func none(of scope: LimitScope) -> BandwidthLimit { BandwidthLimit(scope, .unlimited) }
}

extension [BandwidthLimit] {
    /// Returns the limit of a scope; an unlimited one if the array has none for the scope.
    public subscript(scope: LimitScope) -> BandwidthLimit {
        first { $0.scope == scope } ?? .none(of: scope)
    }

    /// The limits, with the limit of all uploads together first. If the array lacks that limit, an unlimited one is
    /// added.
    public var withTotal: [BandwidthLimit] { [self[.total]] + filter { $0.scope != .total } }
}

extension Timetable {
    /// Returns the limit of a scope at a date: the limit that a user set, or else the limit of this timetable.
    ///
    /// - Parameter order: The limit that a user set; nil if the timetable decides.
    func limit(
        of scope: LimitScope, order: Bandwidth?, at date: Date, in zone: ZoneRules
    ) -> BandwidthLimit {
        if let order { return BandwidthLimit(scope, order, origin: .command) }
        let (bandwidth, entry) = bandwidth(at: date, in: zone)
        return BandwidthLimit(
            scope, bandwidth, origin: entry == nil ? .configuration : .timetable,
            until: nextChange(after: date, in: zone))
    }
}
