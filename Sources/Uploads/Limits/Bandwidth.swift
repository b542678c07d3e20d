public import FerryProtocols
public import Foundation

/// How fast uploads may be.
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

/// What a limit is for: all uploads together that are in it.
public enum LimitScope: Hashable, Comparable, Codable, Sendable {
    case total
    /// By its name in the configuration.
    case destination(String)
    case batch(String)
}

/// The limit that holds for a scope at this moment, and why.
public struct BandwidthLimit: Hashable, Codable, Sendable {
    /// Who said so.
    public enum Origin: String, Hashable, Codable, Sendable {
        /// Somebody ordered it; it holds until they order otherwise.
        case command
        case timetable
        case configuration
    }

    /// Whose uploads it is for, all of them together.
    public var scope: LimitScope
    /// How fast they may be.
    public var bandwidth: Bandwidth
    /// Why it holds.
    public var origin: Origin
    /// When the timetable says otherwise; nil if it never will.
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
    /// What holds where nobody said anything.
    static func none(of scope: LimitScope) -> BandwidthLimit { BandwidthLimit(scope, .unlimited) }
}

extension [BandwidthLimit] {
    /// Of a scope, whether anybody said something of it or not.
    public subscript(scope: LimitScope) -> BandwidthLimit {
        first { $0.scope == scope } ?? .none(of: scope)
    }

    /// With that of all uploads together in any case, as the first.
    public var withTotal: [BandwidthLimit] { [self[.total]] + filter { $0.scope != .total } }
}

extension Timetable {
    /// What holds for a scope that this is configured for.
    ///
    /// - Parameter order: What somebody ordered; nil for nothing else than this.
    func limit(
        of scope: LimitScope, order: Bandwidth?, at date: Date, in calendar: Calendar
    ) -> BandwidthLimit {
        if let order { return BandwidthLimit(scope, order, origin: .command) }
        let (bandwidth, entry) = bandwidth(at: date, in: calendar)
        return BandwidthLimit(
            scope, bandwidth, origin: entry == nil ? .configuration : .timetable,
            until: nextChange(after: date, in: calendar))
    }
}
