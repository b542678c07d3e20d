import FerryProtocols

/// The rate of one upload, or of all uploads together, and the remaining time.
package struct TransferEstimate: Hashable, Codable, Sendable {
    /// The rate in bytes per second; nil before there is a measurement.
    package var rate: Double?
    /// The remaining time in seconds; nil while it is unknown: in the first seconds, and while no bytes are sent.
    package var remaining: Double?

    package init(rate: Double? = nil, remaining: Double? = nil) {
        self.rate = rate
        self.remaining = remaining
    }
}

/// The estimates of all uploads at one moment.
package struct TransferEstimates: Hashable, Sendable {
    /// The estimate of all uploads together. Its remaining time is at least that of each running upload.
    package var total = TransferEstimate()
    /// The estimates of the running uploads.
    package var uploads: [Upload.ID: TransferEstimate] = [:]

    package init() {}
}
