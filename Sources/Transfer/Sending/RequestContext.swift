/// The identity of a request and of its attempt, for adapters, retriers and monitors.
public struct RequestContext: Sendable, Identifiable {
    /// The identifier, the same for all attempts at a request.
    public let id: UUID
    /// The caller's name for the request; for an upload of Ferry's queue, the number of the upload.
    public let label: String
    /// The number of the attempt, from 1.
    public private(set) var attempt: Int
    /// The number of retries so far, by their reason.
    public private(set) var retries: RetryCounts
    private let monitors: [any EventMonitor]
    var secrets = Secrets()

    /// - Parameters:
    ///   - id: The identifier; nil for a new one.
    ///   - monitors: The receivers of the request's events.
    public init(
        id: UUID? = nil, label: String = "", attempt: Int = 1, retries: RetryCounts = RetryCounts(),
        monitors: [any EventMonitor] = []
    ) {
        self.id = id ?? .drawn()
        self.label = label
        self.attempt = attempt
        self.retries = retries
        self.monitors = monitors
    }

    var isFollowed: Bool { monitors.contains { $0.detail == .full } }

    /// Reports an event that only monitors with the detail `full` need.
    func reportStep(_ event: @autoclosure () -> TransferEvent) {
        if isFollowed { report(event()) }
    }

    /// Reports an event of this request to the monitors, with secrets cut from its texts.
    public func report(_ event: @autoclosure () -> TransferEvent) {
        guard !monitors.isEmpty else { return }
        let event = event().redacted(secrets)
        var shown = self
        shown.secrets = Secrets()
        for monitor in monitors { monitor.receive(event, of: shown) }
    }

    func next(counting reason: RetryCounts.Reason) -> RequestContext {
        var next = self
        next.attempt += 1
        next.retries.add(reason)
        return next
    }
}

/// The number of retries for each reason. Those with new credentials do not use up the others.
public struct RetryCounts: Hashable, Sendable {
    /// The reason for a retry.
    public enum Reason: Hashable, Sendable {
        /// No complete response arrived.
        case network
        /// The server's response was not accepted, or could not be decoded.
        case response
        /// The credentials were refused (401, 407), or were not available.
        case authentication
        /// An adapter failed, or the request could not be made.
        case preparation
    }

    /// The number of retries after `Reason.network`.
    public var network = 0
    /// The number of retries after `Reason.response`.
    public var response = 0
    /// The number of retries after `Reason.authentication`.
    public var authentication = 0
    /// The number of retries after `Reason.preparation`.
    public var preparation = 0

    public init() {}

    /// The number of retries except those for credentials, which have their own limit.
    public var withoutAuthentication: Int { network + response + preparation }

    mutating func add(_ reason: Reason) {
        switch reason {
        case .network: network += 1
        case .response: response += 1
        case .authentication: authentication += 1
        case .preparation: preparation += 1
        }
    }
}

extension UUID {
    /// Makes a random UUID (RFC 9562 §5.4), faster than `UUID()`, which on Linux reads `/dev/urandom` each time.
    fileprivate static func drawn() -> UUID {
        var generator = PooledRandom()
        let (high, low) = (generator.next(), generator.next())
        func byte(_ word: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> (8 * index)) }
        return UUID(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
                byte(high, 6) & 0x0F | 0x40, byte(high, 7), byte(low, 0) & 0x3F | 0x80, byte(low, 1),
                byte(low, 2), byte(low, 3), byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
            ))
    }
}
