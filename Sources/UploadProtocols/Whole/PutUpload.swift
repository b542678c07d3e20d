import HTTPTypes

/// `PUT` of the whole file (RFC 9110 §9.3.4). Nothing resumes, but the same bytes to the same place are harmless.
public struct PutUpload: SequentialProtocol {
    public static let name = "put"
    public static let traits = ProtocolTraits(resumes: false)

    private let exchange: Exchange
    private let size: ByteCount

    /// - Parameter options: The request method is taken from them.
    public init(item: UploadItem, options: ProtocolOptions) {
        size = item.size
        exchange = Exchange(
            options.requestMethod(or: .put), UploadAddress.address(item.url, for: item.name),
            fields: [.contentType: item.contentType],
            body: item.size > 0 ? .file(range: 0..<item.size) : .none, isIdempotent: true, mayComplete: true)
    }

    public mutating func start(resource: Resource?, capabilities: ServerCapabilities?) -> Step {
        .send(exchange)
    }

    public mutating func receive(_ reply: Reply) -> Step { WholeUpload.step(reply, to: exchange, size: size) }

    public func removal(of resource: Resource) -> [Exchange] { [] }
}

/// What put, post and form have in common: one request is the whole upload.
enum WholeUpload {
    static func step(_ reply: Reply, to exchange: Exchange, size: ByteCount) -> Step {
        switch reply {
        case .answered(let answer) where (200..<300).contains(answer.status):
            let location = answer.fields[.location].flatMap {
                try? UploadAddress.resolve($0, against: exchange.url)
            }
            // A PUT names the place it fills; what a POST makes is where the answer says, or nowhere known.
            let place = location ?? (exchange.method == .put ? exchange.url : nil)
            return .done(
                Receipt(location: place, entityTag: answer.fields[.eTag], bytes: size))
        case .answered(let answer) where !exchange.isIdempotent && [502, 504].contains(answer.status):
            // A proxy's words: what the server behind it did with the body, the proxy does not know.
            return .failed(unknownOutcome(AnswerVerdict.failure(answer)))
        case .answered(let answer):
            return .failed(AnswerVerdict.failure(answer))
        case .broken(let failure, let bodySent):
            let isComplete = bodySent.map { $0 >= exchange.contentLength } ?? false
            let isUnknown = isComplete && failure.isTransient && !exchange.isIdempotent
            return .failed(isUnknown ? unknownOutcome(failure) : failure)
        }
    }

    static func unknownOutcome(_ failure: UploadFailure?) -> UploadFailure {
        UploadFailure(
            .outcomeUnknown,
            "everything was sent and the server's answer did not come"
                + (failure.map { " (\($0.summary))" } ?? "") + "; the server may or may not have the file",
            hint: "look at the server; retry sends it again, remove forgets it")
    }
}

extension ProtocolOptions {
    /// The configured method, else `method`. The configuration has been checked to hold a valid token.
    func requestMethod(or method: HTTPRequest.Method) -> HTTPRequest.Method {
        self.method.flatMap { HTTPRequest.Method($0) } ?? method
    }
}
