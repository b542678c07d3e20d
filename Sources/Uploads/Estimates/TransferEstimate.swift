import FerryProtocols

/// An estimate for one upload, or for all uploads together: the rate, and the time until everything is sent.
package struct TransferEstimate: Hashable, Codable, Sendable {
    /// The rate in bytes per second; nil if too little has been measured yet.
    package var rate: Double?
    /// The remaining time in seconds. Nil while it is unknown: in the first seconds of sending, and while no bytes are
    /// sent.
    package var remaining: Double?

    package init(rate: Double? = nil, remaining: Double? = nil) {
        self.rate = rate
        self.remaining = remaining
    }
}

/// The rates and the remaining times of the running uploads and of the whole queue, at one moment.
package struct TransferEstimates: Hashable, Sendable {
    /// The estimate of all uploads together. Its remaining time, if known, is at least as long as that of each running
    /// upload.
    package var total = TransferEstimate()
    /// The estimates of the running uploads.
    package var uploads: [Upload.ID: TransferEstimate] = [:]

    package init() {}
}
