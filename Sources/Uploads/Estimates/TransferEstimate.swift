import FerryProtocols

/// How fast one upload or all of them go, and how long they still need.
package struct TransferEstimate: Hashable, Codable, Sendable {
    /// Bytes per second; nil before there is a measurement.
    package var rate: Double?
    /// Seconds; nil as long as nobody can tell: in the first seconds, and while nothing moves.
    package var remaining: Double?

    package init(rate: Double? = nil, remaining: Double? = nil) {
        self.rate = rate
        self.remaining = remaining
    }
}

/// The estimates of all uploads at one moment.
package struct TransferEstimates: Hashable, Sendable {
    /// Of all uploads together. Its remaining time is never shorter than that of one of them.
    package var total = TransferEstimate()
    /// Of the running ones.
    package var uploads: [Upload.ID: TransferEstimate] = [:]

    package init() {}
}
