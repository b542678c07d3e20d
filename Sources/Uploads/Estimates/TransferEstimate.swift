import FerryProtocols

/// An estimate for one upload, or for all uploads together: the rate, and the time until everything is sent.
package struct TransferEstimate: Hashable, Codable, Sendable {
    /// The rate in bytes per second; nil if too little has been measured yet.
    package var rate: Double?
    /// The remaining time in seconds. Nil in the first seconds of sending, and while no bytes are sent.
    package var remaining: Double?

    package init(rate: Double? = nil, remaining: Double? = nil) {
        self.rate = rate
        self.remaining = remaining
    }
}

/// The rates and the remaining times of the running uploads and of the whole queue, at one moment.
package struct TransferEstimates: Hashable, Sendable {
    /// The estimate of all uploads together, whose remaining time is not shorter than that of a running one.
    package var total = TransferEstimate()
    package var uploads: [Upload.ID: TransferEstimate] = [:]

    package init() {}
}
