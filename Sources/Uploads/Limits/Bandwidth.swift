public import FerryFiles
public import FerryProtocols

/// A limit on the rate of uploads.
public enum Bandwidth: Hashable, Codable, Sendable {
    case unlimited
    /// Bytes per second, 1 or more.
    case atMost(ByteCount)

    /// Bytes per second; nil without a limit.
    public var rate: ByteCount? {
        switch self {
        case .unlimited: nil
        case .atMost(let rate): rate
        }
    }
}

extension Bandwidth {
    /// Reads what people type: `20M`, `1.5 MB/s`, `off` for no limit; nil for `auto`, which is what the configuration
    /// says.
    ///
    /// - Throws: `UploadFailure` (`permanent`) that names the forms.
    public static func ordered(_ text: String) throws(UploadFailure) -> Bandwidth? {
        let word = text.filter { !$0.isWhitespace }.lowercased()
        if word == "auto" { return nil }
        if word == "off" { return .unlimited }
        guard let rate = ByteFormat.parse(word) else {
            throw UploadFailure(
                .permanent, word.isEmpty ? "no limit is given" : "'\(text)' is not a limit",
                hint: "20M or 800K (bytes a second), off for no limit, auto for what the configuration says")
        }
        // Some mean that nothing is to be sent, others that nothing is to be held back.
        guard rate > 0 else {
            throw UploadFailure(
                .permanent, "'\(text)' is not a limit",
                hint: "off takes the limit away, pause stops the uploads")
        }
        return .atMost(rate)
    }
}

/// The uploads that a limit is for, all together.
public enum LimitScope: Hashable, Comparable, Codable, Sendable {
    case total
    /// The uploads to a destination, by its name in the configuration.
    case destination(String)
    case batch(String)
}

/// The limit that holds for a scope at this moment, and why.
public struct BandwidthLimit: Hashable, Codable, Sendable {
    /// The origin of a limit.
    public enum Origin: String, Hashable, Codable, Sendable {
        /// A command set it; it holds until another command.
        case command
        case timetable
        case configuration
    }

    /// The uploads that share the limit.
    public var scope: LimitScope
    /// The limit itself.
    public var bandwidth: Bandwidth
    /// The reason why it holds.
    public var origin: Origin
    /// The time when the timetable says otherwise; nil if it never will.
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
    /// Returns the limit of a scope for which nobody set any.
    static func none(of scope: LimitScope) -> BandwidthLimit { BandwidthLimit(scope, .unlimited) }
}

extension [BandwidthLimit] {
    /// Returns the limit of a scope, whether anybody set one or not.
    public subscript(scope: LimitScope) -> BandwidthLimit {
        first { $0.scope == scope } ?? .none(of: scope)
    }

    /// The limits with that of all uploads together in any case, as the first.
    public var withTotal: [BandwidthLimit] { [self[.total]] + filter { $0.scope != .total } }
}

extension Timetable {
    /// Returns the limit of a scope that this is configured for.
    ///
    /// - Parameter order: What somebody ordered; nil for nothing else than this.
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
