import FerryProtocols
import HTTPTypes

extension UploadAttempt {
    /// Computes the digests for the request of the exchange, and checks that the file is unchanged.
    /// - Returns: The digests, empty if none are needed; nil if the attempt was cancelled.
    func digests(for exchange: Exchange) async throws(UploadFailure) -> [ComputedDigest]? {
        guard !exchange.digests.isEmpty else { return [] }
        recorder.isReading()
        var digests = await ahead.take(exchange.digests, part: exchange.part)
        if digests == nil { digests = try await FileDigest.compute(exchange.digests, of: file) }
        try await file.confirm(identity)
        if digests != nil { ahead.begin(exchange.nextDigests, part: exchange.part, of: file) }
        return digests
    }

    /// Computes the digests of the file for comparison with those in the response. The result is empty if the response
    /// is no success or reports none, or if the file has changed or cannot be read: the upload itself has succeeded.
    func comparisons(for exchange: Exchange, _ received: ExchangeOutcome.Response) async -> [ComputedDigest] {
        guard !exchange.digestsIfReported.isEmpty, (200..<300).contains(received.status) else { return [] }
        let reported = ServerDigest.algorithms(in: received, exchange.reportedIn)
        let orders = exchange.digestsIfReported.filter { reported.contains($0.algorithm) }
        do throws(UploadFailure) {
            guard !orders.isEmpty, let digests = try await FileDigest.compute(orders, of: file) else {
                return []
            }
            try await file.confirm(identity)
            return digests
        } catch {
            return []
        }
    }
}

extension Exchange {
    func fields(with computed: [ComputedDigest]) -> HTTPFields {
        var fields = fields
        for (order, digest) in zip(digests, computed) {
            if let carrier = order.carrier { fields[carrier.field] = carrier.value(digest.bytes) }
        }
        return fields
    }
}
