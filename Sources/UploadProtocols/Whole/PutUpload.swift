import FerryFiles
import HTTPTypes

/// The protocol that sends the whole file in one `PUT` (RFC 9110 §9.3.4). It cannot resume, but writing the same bytes
/// again is harmless.
///
/// If the policy for existing files is `skip`, `rename` or `fail`, a `HEAD` before the upload looks for an existing
/// file. If Ferry computes a digest, it looks for an equal one in the response (`Repr-Digest`, RFC 9530), or else asks
/// for that of the stored file by `HEAD`. Without a digest from the server, it compares the sizes.
///
/// If the whole file was sent without a response, the next attempt asks by `HEAD` for an equal digest first.
public struct PutUpload: SequentialProtocol {
    public static let name = "put"
    public static let traits = ProtocolTraits(
        resumes: false, fillsSlot: true, respondsWithPages: true, checksums: [.md5, .sha1, .sha256, .crc32c],
        existing: Set(ExistingFilePolicy.allCases))

    private enum Phase: Sendable {
        case recalling(MissingResponseCheck)
        case looking(ExistingFile)
        case sending(Exchange, name: String)
        case verifying(Receipt, ours: [ComputedDigest], at: LookupAddress)
    }

    private enum LookupAddress: Sendable {
        /// The URL of the `PUT`. `reported` is another URL that the response named for the file, if any.
        case requested(reported: String?)
        case reported
    }

    private let item: UploadItem
    private let options: ProtocolOptions
    private var phase: Phase
    private var budget = RetryBudget()

    /// - Parameter options: The HTTP method, the checksum and the policy for existing files are used.
    public init(item: UploadItem, options: ProtocolOptions) {
        self.item = item
        self.options = options
        phase = .recalling(MissingResponseCheck(item))
    }

    public static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)? {
        PutCheck(url: url, options: options)
    }

    public mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
        if let resource, resource[PutMemory.self].isStored {
            return verify(
                Receipt(location: resource.url, bytes: item.size),
                at: .requested(reported: resource[PutMemory.self].reported))
        }
        if looks, !UploadAddress.tellsNamesApart(item.url) {
            return .failed(.oneAddress(" or put {name} into it"))
        }
        if !looks, let resource, resource.wholeBodySent {
            let lost = MissingResponseCheck(item)
            phase = .recalling(lost)
            return lost.start()
        }
        guard looks, let resource, let name = resource[PutMemory.self].name else { return look() }
        return look(begun: .init(name: name, mayBeComplete: resource.wholeBodySent))
    }

    public mutating func receive(_ reply: ExchangeOutcome) -> Step {
        switch (phase, reply) {
        case (.sending(let exchange, let name), _): return sent(reply, exchange, name: name)
        case (_, .broken(let failure, _)): return .failed(failure)
        case (.recalling(let lost), .responded(let response)): return lost.receive(response) ?? look()
        case (.looking(var existing), .responded(let response)):
            let verdict = existing.receive(response)
            phase = .looking(existing)
            return act(on: verdict)
        case (.verifying(let receipt, let ours, let location), .responded(let response)):
            return verified(response, receipt, ours: ours + response.digests, at: location)
        }
    }
}

extension PutUpload {
    /// True if the policy for existing files needs a lookup of the file before it is sent.
    private var looks: Bool { options.existing.map { $0 != .replace } ?? false }

    private mutating func look(begun: ExistingChoice.Begun? = nil) -> Step {
        let url = item.url
        let existing = ExistingFile(item, policy: options.existing, begun: begun) {
            UploadAddress.address(url, for: $0)
        }
        phase = .looking(existing)
        return act(on: existing.start())
    }

    private mutating func act(on verdict: ExistingFile.Verdict) -> Step {
        switch verdict {
        case .ask(let exchange): .send(exchange)
        case .free(let name, let precondition): send(name, precondition)
        case .finished(let receipt): .done(receipt)
        case .failed(let failure): .failed(failure)
        }
    }

    private mutating func send(_ name: String, _ precondition: HTTPFields) -> Step {
        let address = UploadAddress.address(item.url, for: name)
        var exchange = Exchange(
            options.requestMethod(or: .put), address, fields: precondition,
            body: item.wholeBody, traits: [.idempotent, .completes])
        exchange.fields[.contentType] = item.contentType
        exchange.digests = digests()
        OfferedDigest.ask(in: &exchange, size: item.size, options.checksumChoice)
        // If the response is lost, the next attempt must know that an existing file may be this upload's.
        var begun = UploadResource(url: UploadAddress.withoutQuery(address))
        begun[PutMemory.self].name = name
        exchange.markBeforeLastBytes = begun.withWholeBodySent(true)
        // Without a policy, only an equal digest ends the next attempt (`MissingResponseCheck`).
        exchange.set(.mayBeMarkedEarly, if: !looks)
        phase = .sending(exchange, name: name)
        return .send(exchange, notes: looks ? [.resource(begun)] : [])
    }

    private mutating func sent(_ reply: ExchangeOutcome, _ exchange: Exchange, name: String) -> Step {
        if case .responded(let response) = reply, response.status == 412, exchange.fields[.ifNoneMatch] != nil
        {
            // The name was free at the lookup, and is taken now.
            guard options.existing == .rename, budget.allows(.surprise) else {
                return .failed(.nameTaken(name), notes: [.resource(nil)])
            }
            return look()
        }
        switch SingleRequestUpload.step(reply, to: exchange, size: item.size) {
        case .done(var receipt, let notes):
            guard case .responded(let response) = reply, options.checksum != nil || !response.digests.isEmpty
            else {
                return .done(receipt, notes: notes)
            }
            // Only an equal digest proves something: the other may be that of the response's own body (RFC 9530 §3.1).
            if case .same(let algorithm) = FoundFile(headed: response.fields).agrees(with: response.digests) {
                receipt.verified = algorithm
                return .done(receipt, notes: notes)
            }
            let reported = receipt.location.flatMap { Self.isElsewhere($0, than: exchange.url) ? $0 : nil }
            receipt.location = exchange.url
            return verify(receipt, ours: response.digests, at: .requested(reported: reported), noting: notes)
        case .failed(let failure, let notes):
            // A proxy's 502 or 504 says nothing about the server behind it; after any other refusal no file was stored.
            let isRefusal = failure.status.map { ![502, 504].contains($0) } ?? false
            return .failed(failure, notes: notes + (isRefusal ? [.resource(nil)] : []))
        case let step: return step
        }
    }

    /// Returns the configured digest for the header fields; empty if `Repr-Digest` has no name for its algorithm.
    private func digests() -> [DigestRequest] {
        guard let algorithm = options.checksum, let key = ServerDigest.key(of: algorithm) else { return [] }
        var orders = [
            DigestRequest(
                algorithm, of: 0..<item.size, in: .init(.reprDigest, .base64, prefix: "\(key)=:", suffix: ":")
            )
        ]
        // RFC 7231 removed `Content-MD5` from HTTP, but object stores still refuse content that does not match it.
        if algorithm == .md5 {
            orders.append(DigestRequest(.md5, of: 0..<item.size, in: .init(.contentMD5, .base64)))
        }
        return orders
    }

    /// True if `reported`, which the response to the `PUT` of `requested` named, is another URL of the same origin. The
    /// server possibly stored the new file there, and left an older one at `requested` (RFC 9110 §15.3.2).
    private static func isElsewhere(_ reported: String, than requested: String) -> Bool {
        guard let first = URL(string: reported), let second = URL(string: requested) else { return false }
        return UploadAddress.origin(first) == UploadAddress.origin(second)
            && UploadAddress.withoutQuery(reported) != UploadAddress.withoutQuery(requested)
    }

    private mutating func verify(
        _ receipt: Receipt, ours: [ComputedDigest] = [], at location: LookupAddress,
        noting notes: [Step.Note] = []
    ) -> Step {
        guard let algorithm = options.checksum ?? ours.first?.algorithm,
            let key = ServerDigest.key(of: algorithm), let address = receipt.location
        else { return .done(receipt, notes: notes) }
        phase = .verifying(receipt, ours: ours, at: location)
        var stored = UploadResource(url: address)
        stored[PutMemory.self].isStored = true
        if case .requested(let reported?) = location { stored[PutMemory.self].reported = reported }
        var head = Exchange(.head, address, fields: [.wantReprDigest: "\(key)=10"])
        if ours.isEmpty { head.digests = [item.digest(algorithm)] }
        return .send(head, notes: notes + [.resource(stored)])
    }

    private mutating func verified(
        _ response: ExchangeOutcome.Response, _ receipt: Receipt, ours: [ComputedDigest],
        at location: LookupAddress
    ) -> Step {
        var receipt = receipt
        // Some URLs can be written but not read. For these, only the 2xx response to the request proves the upload.
        guard response.isSuccess else {
            let failure = ResponseClassifier.failure(response)
            if case .requested(let reported?) = location { receipt.location = reported }
            return failure.isTransient ? .failed(failure) : .done(receipt)
        }
        let found = FoundFile(headed: response.fields)
        let failure: UploadFailure
        switch found.agrees(with: ours) {
        case .same(let algorithm):
            receipt.entityTag = receipt.entityTag ?? found.entityTag
            receipt.verified = algorithm
            return .done(receipt)
        case .different(let algorithm): failure = DigestComparison.mismatch(algorithm)
        case nil:
            guard let size = found.size, size != item.size else {
                receipt.entityTag = receipt.entityTag ?? found.entityTag
                return .done(receipt)
            }
            failure = SingleRequestUpload.wrongSize(size, of: item.size)
        }
        switch location {
        // The requested URL has another file, which the server kept.
        case .requested(let reported?):
            receipt.location = reported
            return verify(receipt, ours: ours, at: .reported)
        case .requested(nil): return .failed(failure, notes: [.resource(nil)])
        // The URL may lead to a page about the file, so a difference proves nothing.
        case .reported: return .done(receipt)
        }
    }
}

private struct PutMemory: ResumeForm {
    var name: String?
    /// True if the server has the whole file, whose digest has not been compared yet.
    var isStored = false
    /// The URL that the response named for the file, if it is another one than that of the `PUT`.
    var reported: String?

    static let keys: ResumeKeys<Self> =
        [.init("name", \.name), .init("stored", \.isStored), .init("told", \.reported)]
}

extension HTTPField.Name {
    /// The header field with the MD5 of the content in Base64 (RFC 1864).
    static let contentMD5 = named("Content-MD5")
}
