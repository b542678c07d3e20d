public import struct Foundation.UUID

/// Which request, and which attempt at it: handed to adapters, retriers and monitors.
public struct RequestContext: Sendable, Identifiable {
    /// The same for all attempts at a request.
    public let id: UUID
    /// What the caller calls the request; the queue uses the upload's number. Monitors see it as it is.
    public let label: String
    /// 1 for the first.
    public let attempt: Int
    /// How often the request was tried again so far, by what made it so.
    public let retries: RetryCounts
    private let monitors: [any EventMonitor]
    /// What monitors may not be told.
    var secrets = Secrets()

    /// - Parameter monitors: Told by `report(_:)`.
    public init(
        id: UUID = UUID(), label: String = "", attempt: Int = 1, retries: RetryCounts = RetryCounts(),
        monitors: [any EventMonitor] = []
    ) {
        self.id = id
        self.label = label
        self.attempt = attempt
        self.retries = retries
        self.monitors = monitors
    }

    /// False if nobody would be told.
    var isObserved: Bool { !monitors.isEmpty }

    /// Tells the monitors of this request, secrets cut from texts.
    public func report(_ event: @autoclosure () -> TransferEvent) {
        guard isObserved else { return }
        let event = event().redacted(secrets)
        var shown = self
        shown.secrets = Secrets()
        for monitor in monitors { monitor.receive(event, of: shown) }
    }

    /// The context of the attempt after this one.
    func next(counting reason: RetryCounts.Reason) -> RequestContext {
        var next = RequestContext(
            id: id, label: label, attempt: attempt + 1, retries: retries.adding(reason), monitors: monitors)
        next.secrets = secrets
        return next
    }
}

/// Retries counted apart, so that a renewed credential does not use up what a bad link needs.
public struct RetryCounts: Hashable, Sendable {
    /// What made a request be tried again.
    public enum Reason: Hashable, Sendable {
        /// No complete answer came.
        case network
        /// The server's answer was not accepted, or could not be decoded.
        case answer
        /// The credentials were refused (401, 407), or could not be had.
        case authentication
        /// An adapter failed, or the request could not be made.
        case preparation
    }

    /// After `Reason.network`.
    public var network = 0
    /// After `Reason.answer`.
    public var answer = 0
    /// After `Reason.authentication`.
    public var authentication = 0
    /// After `Reason.preparation`.
    public var preparation = 0

    public init() {}

    /// All but those for credentials, which have their own limit.
    public var withoutAuthentication: Int { network + answer + preparation }

    func adding(_ reason: Reason) -> RetryCounts {
        var counts = self
        switch reason {
        case .network: counts.network += 1
        case .answer: counts.answer += 1
        case .authentication: counts.authentication += 1
        case .preparation: counts.preparation += 1
        }
        return counts
    }
}
