public import FerryProtocols

extension RequestSender {
    /// Sends a request of an upload protocol or a check. The request must not carry bytes of a file.
    ///
    /// - Parameter label: The name of the request in events.
    /// - Returns: The response, whatever its status; `broken` if no complete response arrived.
    /// - Throws: `UploadFailure` if the request could not be made, if a retrier ended it with an error, or if the task
    ///   was cancelled.
    public func ask(_ exchange: Exchange, label: String = "") async throws(UploadFailure) -> ExchangeOutcome {
        let body: TransportRequest.Body
        switch exchange.body {
        case .none: body = .none
        case .bytes(let bytes): body = .bytes(bytes)
        case .file:
            throw UploadFailure(.permanent, "a request that carries a file needs an upload")
        }
        let request = TransportRequest(
            method: exchange.method, url: exchange.url, fields: exchange.fields, body: body,
            isRepeatable: exchange.traits.contains(.idempotent))
        let sender = exchange.traits.contains(.withoutCredentials) ? withoutCredentials : self
        do throws(RequestFailure) {
            let response = try await sender.perform(
                request, label: label, accept: acceptance())
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

    /// True if the request possibly carries credentials: in the query of its URL, from an adapter, or in a configured
    /// header field.
    func signs(_ exchange: Exchange) -> Bool {
        guard !exchange.url.contains("?") else { return true }
        return !exchange.traits.contains(.withoutCredentials)
            && !(interceptor.adapters.isEmpty && headers.isEmpty)
    }

    /// Performs the requests of a check until the check has its report.
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

    /// The maximum number of requests of a check, so that every check ends. No check of Ferry's own needs nearly as
    /// many: the longest one requests up to 20 pages of a list.
    private static var checkLimit: Int { 256 }

    /// Returns a function that throws for a 401, and for any other refusal that a retrier can correct. The function
    /// accepts every other response, which the upload's protocol then interprets.
    ///
    /// - Parameter beforeRetrying: Runs before a retrier is called.
    func acceptance(beforeRetrying: @escaping @Sendable () async -> Void = {}) -> RequestRun.Check {
        { [interceptor] _, response throws(RequestFailure) in
            guard interceptor.canRecover(response) else { return }
            await beforeRetrying()
            throw .rejected(response, ResponseClassifier.failure(response.protocolResponse))
        }
    }
}

extension Interceptor {
    /// True for a 401, and for any other refusal that one of the retriers can correct.
    fileprivate func canRecover(_ response: TransportResponse) -> Bool {
        response.status == 401
            || retriers.contains { ($0 as? any ErrorRecoverer)?.canRecover(response) ?? false }
    }
}
