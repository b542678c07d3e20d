public import FerryProtocols

extension RequestSender {
    /// Sends a request of an upload protocol or of a `DestinationCheck`. The body of `exchange` must not be a file.
    ///
    /// - Returns: `responded` with the response, whatever its status is; `broken` if none arrived completely.
    /// - Throws: `UploadFailure` if the request cannot be made, if a retrier ends it, or if the task is cancelled.
    public func ask(_ exchange: Exchange, label: String = "") async throws(UploadFailure) -> ExchangeOutcome {
        let body: TransportRequest.Body
        switch exchange.body {
        case .none: body = .none
        case .bytes(let bytes): body = .bytes(bytes)
        case .file: throw UploadFailure(.permanent, "a request that carries a file needs an upload")
        }
        let request = TransportRequest(
            method: exchange.method, url: exchange.url, fields: exchange.fields, body: body,
            isRepeatable: exchange.traits.contains(.idempotent))
        let sender = exchange.traits.contains(.withoutCredentials) ? withoutCredentials : self
        do throws(RequestFailure) {
            let response = try await sender.perform(request, label: label, accept: acceptance())
            return .responded(protocolResponse(response, to: exchange))
        } catch {
            switch error {
            case .rejected(let response, _): return .responded(protocolResponse(response, to: exchange))
            case .transport(let broken) where broken.reason != .cancelled:
                let wasSent = [.broken, .staleConnection].contains(broken.reason)
                return .broken(broken.failure, bodySent: wasSent ? broken.bodySent : nil)
            default: throw error.failure
            }
        }
    }

    private func protocolResponse(_ response: TransportResponse, to exchange: Exchange)
        -> ExchangeOutcome.Response
    {
        var received = response.protocolResponse
        received.carriedCredentials = signs(exchange)
        return received
    }

    /// True if the request possibly carries credentials: in its URL's query, by an adapter, or by configured fields.
    func signs(_ exchange: Exchange) -> Bool {
        guard !exchange.url.hasByte("?") else { return true }
        return !exchange.traits.contains(.withoutCredentials)
            && !(interceptor.adapters.isEmpty && headers.isEmpty)
    }

    /// Performs the requests of a `DestinationCheck` until it has its report.
    ///
    /// - Throws: `UploadFailure` if the check or one of its requests fails, or if 256 requests are not enough.
    public func run(_ check: any DestinationCheck, label: String = "") async throws(UploadFailure)
        -> Redacted<CheckReport>
    {
        var check = check
        var step = check.start()
        for _ in 0..<Self.checkLimit {
            switch step {
            case .finished(let report): return secrets.redact(report)
            case .failed(let failure): throw secrets.cut(from: failure)
            case .send(let exchange): step = check.receive(try await ask(exchange, label: label))
            }
        }
        throw UploadFailure(.server, "the server gives no end of answers")
    }

    /// The maximum number of requests of one `DestinationCheck`, so that every check ends. The longest one, `S3Check`,
    /// lists up to 20 pages of unfinished uploads, and asks for the sizes of up to 100.
    private static var checkLimit: Int { 256 }

    /// Returns a function that calls `beforeRetrying` and throws if a response has the status 401, or if a retrier can
    /// correct its cause. It accepts every other response, for the protocol or the `DestinationCheck` to interpret.
    func acceptance(beforeRetrying: @escaping @Sendable () async -> Void = {}) -> RequestRun.Check {
        { [interceptor] _, response throws(RequestFailure) in
            let isRecoverable = interceptor.retriers.contains {
                ($0 as? any ErrorRecoverer)?.canRecover(response) ?? false
            }
            guard response.status == 401 || isRecoverable else { return }
            await beforeRetrying()
            throw .rejected(response, ResponseClassifier.failure(response.protocolResponse))
        }
    }
}
