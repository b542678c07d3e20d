public import FerryFiles
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
    /// Parses a limit that a user typed, such as `20M` or `1.5 MB/s`. The word `off` means no limit. Returns nil for
    /// `auto`, which restores the configured limit.
    ///
    /// - Throws: `UploadFailure` (`permanent`) if the text is not a limit.
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
    /// The uploads to a destination, by the destination's name in the configuration.
    case destination(String)
    /// The uploads of a batch, a group of uploads to which a user gave a name. The value is this name.
    case batch(String)
}

/// The bandwidth limit that applies to a group of uploads at this moment, and the origin of the limit.
public struct BandwidthLimit: Hashable, Codable, Sendable {
    /// The origin of a limit.
    public enum Origin: String, Hashable, Codable, Sendable {
        /// A user set the limit by a command. The limit applies until another command changes it.
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
    /// The time when a timetable changes the limit. Nil if no timetable changes it, or if a command set the limit.
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
    /// Returns the limit of a scope. If the array has no limit of this scope, the result has the bandwidth `unlimited`.
    public subscript(scope: LimitScope) -> BandwidthLimit {
        first { $0.scope == scope } ?? BandwidthLimit(scope, .unlimited)
    }

    /// All limits in the array, beginning with the limit of all uploads together (`total`). If the array lacks that
    /// limit, it is added with the bandwidth `unlimited`.
    public var withTotal: [BandwidthLimit] { [self[.total]] + filter { $0.scope != .total } }
}
