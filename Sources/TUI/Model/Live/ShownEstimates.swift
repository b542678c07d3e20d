import FerryUploads

/// The rates and remaining times on the screen. They change slowly enough to be read.
struct ShownEstimates: Hashable, Sendable {
    /// The minimum number of seconds between two changes on the screen.
    static let rateInterval = 0.5
    static let remainingInterval = 1.0

    private(set) var total = TransferEstimate()
    private var uploads: [Upload.ID: TransferEstimate] = [:]
    private var rateShownAt = -Double.infinity
    private var remainingShownAt = -Double.infinity

    subscript(id: Upload.ID) -> TransferEstimate { uploads[id] ?? TransferEstimate() }

    /// Shows new values. All remaining times change together, so that the total is never below one of them.
    mutating func show(_ new: TransferEstimates, now: Double) {
        let rates = now - rateShownAt >= Self.rateInterval - 0.01
        let times = now - remainingShownAt >= Self.remainingInterval - 0.01
        if rates { rateShownAt = now }
        if times { remainingShownAt = now }
        guard rates || times else { return }
        uploads = new.uploads.reduce(into: [:]) { shown, upload in
            shown[upload.key] = self[upload.key].taking(rates, times, of: upload.value)
        }
        total = total.taking(rates, times, of: new.total)
    }

    mutating func forget(_ id: Upload.ID) { uploads[id] = nil }

    /// Makes the remaining times change at once, because a bandwidth limit has changed.
    mutating func hurry() { remainingShownAt = -.infinity }
}

extension TransferEstimate {
    fileprivate func taking(_ takesRate: Bool, _ takesTime: Bool, of new: Self) -> Self {
        Self(rate: takesRate ? new.rate : rate, remaining: takesTime ? new.remaining : remaining)
    }
}
