public import FerryProtocols

extension RequestSender {
    /// Makes a request that a protocol described and that carries nothing of a file.
    ///
    /// - Parameter label: Names the request in events.
    /// - Throws: `UploadFailure` if it could not be made or the task was cancelled; an answer of any status is a reply.
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
            return .answered(answer(response, to: exchange))
        } catch {
            switch error {
            case .rejected(let response, _): return .answered(answer(response, to: exchange))
            case .transport(let broken) where broken.reason != .cancelled:
                let wasSent = [.broken, .staleConnection].contains(broken.reason)
                return .broken(broken.failure, bodySent: wasSent ? broken.bodySent : nil)
            default: throw error.failure
            }
        }
    }

    private func answer(_ response: TransportResponse, to exchange: Exchange) -> ExchangeOutcome.Response {
        var answer = response.answer
        answer.carriedCredentials = signs(exchange)
        return answer
    }

    /// False if a request has nothing that could sign it in: no credentials, no configured fields, nothing in its address.
    func signs(_ exchange: Exchange) -> Bool {
        guard !exchange.url.contains("?") else { return true }
        return !exchange.traits.contains(.withoutCredentials)
            && !(interceptor.adapters.isEmpty && headers.isEmpty)
    }

    /// Asks until the check has its report.
    ///
    /// - Throws: `UploadFailure`, the check's own or as `ask`.
    public func run(_ check: any DestinationCheck, label: String = "") async throws(UploadFailure)
        -> CheckReport
    {
        var check = check
        var step = check.start()
        for _ in 0..<Self.checkLimit {
            switch step {
            case .finished(let report): return secrets.cut(from: report)
            case .failed(let failure): throw secrets.cut(from: failure)
            case .send(let exchange): step = check.receive(try await ask(exchange, label: label))
            }
        }
        throw UploadFailure(.server, "the server gives no end of answers")
    }

    /// Lists come in pages of a thousand.
    private static var checkLimit: Int { 256 }

    /// Takes every answer but refusals that a retrier can do something about. What the rest means is the protocol's to
    /// say.
    ///
    /// - Parameter beforeRetrying: Awaited before a retrier is asked.
    func acceptance(beforeRetrying: @escaping @Sendable () async -> Void = {}) -> RequestRun.Check {
        { [interceptor] _, response throws(RequestFailure) in
            guard interceptor.canRecover(response) else { return }
            await beforeRetrying()
            throw .rejected(response, ResponseClassifier.failure(response.answer))
        }
    }
}

extension Interceptor {
    /// True if one of the retriers may do something about this refusal.
    fileprivate func canRecover(_ response: TransportResponse) -> Bool {
        response.status == 401
            || retriers.contains { ($0 as? any ErrorRecoverer)?.canRecover(response) ?? false }
    }
}
