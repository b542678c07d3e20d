public import FerryProtocols

/// A limit on the rate of uploads.
public enum Bandwidth: Hashable, Codable, Sendable {
    case unlimited
    /// The limit in bytes per second, 1 or more.
    case atMost(ByteCount)

    /// The limit in bytes per second; nil if there is no limit.
    public var rate: ByteCount? {
        switch self {
        case .unlimited: nil
        case .atMost(let rate): rate
        }
    }
}

extension Bandwidth {
    /// Parses a limit that a user typed, such as `20M`, `1.5 MB/s` or `off`. Returns nil for `auto`, which restores the
    /// configured limit. Throws `UploadFailure` (`permanent`) for any other text.
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
                hint: "off removes the limit, pause stops the uploads")
        }
        return .atMost(rate)
    }
}

/// The uploads to which a bandwidth limit applies: all uploads, those to one destination, or those of one batch.
public enum LimitScope: Hashable, Comparable, Codable, Sendable {
    case total
    /// The uploads to the destination with this name.
    case destination(String)
    /// The uploads of the batch with this name.
    case batch(String)
}

/// The bandwidth limit that applies to a group of uploads at this moment, and the origin of the limit.
public struct BandwidthLimit: Hashable, Codable, Sendable {
    /// The origin of a limit.
    public enum Origin: String, Hashable, Codable, Sendable {
        /// A user set the limit by a command, until another command changes it.
        case command
        case timetable
        case configuration
    }

    /// The uploads that share the limit.
    public var scope: LimitScope
    /// The limit in bytes per second, or `unlimited`.
    public var bandwidth: Bandwidth
    /// The origin of the limit: a command, a timetable or the configuration.
    public var origin: Origin
    /// The time when a timetable changes the limit, if it does.
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

extension [BandwidthLimit] {
    /// Returns the limit of a scope, which is `unlimited` if the array has none.
    public subscript(scope: LimitScope) -> BandwidthLimit {
        first { $0.scope == scope } ?? BandwidthLimit(scope, .unlimited)
    }

    /// All limits in the array, beginning with that of all uploads together, even if the array lacks it.
    public var withTotal: [BandwidthLimit] { [self[.total]] + filter { $0.scope != .total } }
}
