public import HTTPTypes

/// The functions of `put`, `post` and `form`. Other protocols use the failures for their last request.
enum SingleRequestUpload {
    /// The hint for a request that is too large for the server, with the settings of Apache and nginx.
    static let raiseLimit =
        "raise what the server or a proxy takes in one request (LimitRequestBody, client_max_body_size)"

    static func step(_ reply: ExchangeOutcome, to exchange: Exchange, size: ByteCount) -> Step {
        switch reply {
        case .responded(let response) where response.isSuccess:
            let location = response.fields[.location].flatMap {
                try? UploadAddress.resolve($0, against: exchange.url)
            }
            // Without a location, the file of a PUT is at the requested URL, and that of a POST at an unknown one.
            let url = location ?? (exchange.method == .put ? exchange.url : nil)
            return .done(Receipt(location: url, entityTag: response.fields[.eTag], bytes: size))
        case .responded(let response)
        where !exchange.traits.contains(.idempotent) && [502, 504].contains(response.status):
            // The response comes from a proxy, which does not know what the server behind it did with the body.
            return .failed(unknownOutcome(ResponseClassifier.failure(response)))
        case .responded(let response):
            var failure = ResponseClassifier.failure(response).naming(size)
            if response.status == 413, failure.category == .permanent { failure.hint = raiseLimit }
            if response.namesTus, failure.category == .permanent {
                failure.hint = "the server speaks tus: set the protocol to it, as in tus+http://host/files/"
            }
            return .failed(failure)
        case .broken(let failure, let bodySent):
            let isComplete = bodySent.map { $0 >= exchange.contentLength } ?? false
            let isUnknown = isComplete && failure.isTransient && !exchange.traits.contains(.idempotent)
            return .failed(isUnknown ? unknownOutcome(failure) : failure)
        }
    }

    static func wrongSize(
        _ size: ByteCount, of whole: ByteCount, _ category: UploadFailure.Category = .permanent
    ) -> UploadFailure {
        UploadFailure(
            category, UploadFailure.sizesDiffer(size, whole),
            hint: "retry to send it again; the server may be out of space, or change what it takes")
    }

    static func unknownOutcome(_ failure: UploadFailure?) -> UploadFailure {
        UploadFailure(
            .outcomeUnknown,
            "everything was sent and the server's answer did not come"
                + (failure.map { " (\($0.summary))" } ?? "") + "; the server may or may not have the file",
            hint: "look at the server; retry sends it again and it may be there twice, remove forgets it")
    }
}

extension ProtocolOptions {
    /// Returns the configured HTTP method, or `method` if none is configured or it is invalid.
    func requestMethod(or method: HTTPRequest.Method) -> HTTPRequest.Method {
        self.method.flatMap { HTTPRequest.Method($0) } ?? method
    }
}

extension HTTPField.Name {
    /// The key by which a server ignores a repeated request (draft-ietf-httpapi-idempotency-key-header).
    public static let idempotencyKey = named("Idempotency-Key")
}

extension HTTPFields {
    /// The value of the field `Idempotency-Key`, without the quotes around it (RFC 9651 §3.3.3).
    public var idempotencyKey: String? {
        get { self[.idempotencyKey]?.trimmingPrefix("\"").prefix { $0 != "\"" }.description }
        set { self[.idempotencyKey] = newValue.map { "\"\($0)\"" } }
    }
}
