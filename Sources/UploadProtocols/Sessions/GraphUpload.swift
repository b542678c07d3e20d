import FerryFiles
import HTTPTypes

/// The protocol of Microsoft Graph's upload sessions (OneDrive, SharePoint). It sends the file in consecutive ranges to
/// an upload session, which it creates or which the user configured.
public struct GraphUpload: SequentialProtocol {
    public static let name = "graph"
    public static let traits = ProtocolTraits(
        resumes: true, fillsSlot: true, checksums: [.sha256, .sha1], existing: [.replace, .rename, .fail])

    private enum Phase: Sendable {
        case creating
        case sending
        /// Sends an empty file without a session, because no session accepts an empty file.
        case sendingWhole
        /// Checks whether the session has ended because the file is complete.
        case recovering(UploadResource)
    }

    private let item: UploadItem
    private let options: ProtocolOptions
    private let address: GraphAddress
    private let service: GraphSession
    private var session: ContentRangeSession<GraphSession>
    private var phase = Phase.sending
    private var dropped = RestartGuard()

    /// - Parameter options: The chunk size, the checksum and the policy for an existing file apply.
    public init(item: UploadItem, options: ProtocolOptions) {
        self.item = item
        self.options = options
        address = GraphAddress(url: item.url)
        service = GraphSession(item: item, options: options)
        session = ContentRangeSession(service, size: item.size)
    }

    public static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)? {
        GraphCheck(url: url)
    }

    public mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
        if item.size == 0 { return sendWhole(resource) }
        if let resource { return session.resume(resource) }
        return address.isSession ? session.resumeGiven(at: item.url, options) : create()
    }

    public mutating func receive(_ reply: ExchangeOutcome) -> Step {
        switch (phase, reply) {
        case (.sending, _):
            switch session.receive(reply) {
            case .step(let step): step
            case .gone(let resource, let reason): gone(resource, because: reason)
            }
        case (_, .broken(let failure, _)): .failed(failure)
        case (.creating, .responded(let response)): receiveCreation(response)
        case (.sendingWhole, .responded(let response)): receiveWhole(response)
        case (.recovering(let resource), .responded(let response)): receiveRecovery(response, resource)
        }
    }

    public func removal(of resource: UploadResource) -> [Exchange] {
        item.size == 0 ? [] : [service.removal(of: resource)]
    }
}

extension GraphUpload {
    /// The policy for an existing file, which has the same name in Graph; nil for Graph's default.
    private var policy: String? { options.existing == .skip ? nil : options.existing?.rawValue }

    private mutating func create(noting notes: [Step.Note] = []) -> Step {
        phase = .creating
        // The size lets the service check the quota before the first byte (`driveItemUploadableProperties`).
        var wish: [String: JSONValue] = ["fileSize": .whole(Int(item.size))]
        wish["@microsoft.graph.conflictBehavior"] = policy.map { .text($0) }
        wish["fileSystemInfo"] = item.modified.map {
            .object(["lastModifiedDateTime": .text($0.formatted(.iso8601))])
        }
        return .send(
            Exchange(
                .post, address.session(for: item.name), fields: [.contentType: "application/json"],
                body: .bytes(JSONValue.object(["item": .object(wish)]).bytes), traits: .idempotent),
            notes: notes)
    }

    private mutating func receiveCreation(_ response: ExchangeOutcome.Response) -> Step {
        switch response.status {
        case 200, 201: break
        case 409 where ServiceFailure(response).code == "nameAlreadyExists":
            return .failed(.nameTaken(item.name, instead: "replace or rename"))
        default: return .failed(ServiceFailure.of(response))
        }
        let made = response.decoded(as: GraphSessionResponse.self)
        guard let uploadURL = made?.uploadUrl else {
            return .failed(
                .permanent, "the server began no upload session",
                hint: "check that the destination's url ends with :/createUploadSession: "
                    + "the response has no uploadUrl")
        }
        do throws(UploadFailure) {
            let url = try UploadAddress.named(uploadURL, against: item.url)
            if let refusal = refusal(of: url) { return .failed(refusal) }
            var resource = UploadResource(url: url.absoluteString, expires: made?.expires)
            dropped.mark(&resource)
            phase = .sending
            return session.append(resource, noting: [.resource(resource)])
        } catch { return .failed(error) }
    }

    /// Returns the failure for an unsafe URL of a new session. On another server, it must use https, and can lead into
    /// a private network only if the destination is in one too.
    private func refusal(of url: URL) -> UploadFailure? {
        guard let asked = URL(string: item.url), UploadAddress.origin(url) != UploadAddress.origin(asked)
        else { return nil }
        let shown = ServerText.cleaned(UploadAddress.withoutQuery(url.absoluteString))
        guard url.scheme?.lowercased() == "https" else {
            return UploadFailure(
                .permanent, "the server sends the upload to an address without https: \(shown)")
        }
        guard !UploadAddress.leadsInside(url, from: asked) else {
            return UploadFailure(
                .permanent, "the server sends the upload into a private network: \(shown)",
                hint: "only a destination that is in a private network itself may do that")
        }
        return nil
    }

    /// Handles a lost session. Looks up the file if it was possibly sent, and otherwise starts again.
    private mutating func gone(_ resource: UploadResource, because reason: String) -> Step {
        guard resource.wholeBodySent else { return restart(after: resource, because: reason) }
        guard !resource.isGiven else { return .failed(SingleRequestUpload.unknownOutcome(nil)) }
        phase = .recovering(resource)
        return .send(Exchange(.get, address.item(named: item.name)))
    }

    private mutating func receiveRecovery(
        _ response: ExchangeOutcome.Response, _ resource: UploadResource
    ) -> Step {
        let failure = ServiceFailure.of(response)
        let isThere = response.isSuccess
        guard isThere || response.status == 404 else {
            return .failed(failure.isTransient ? failure : SingleRequestUpload.unknownOutcome(failure))
        }
        if isThere, let file = response.decoded(as: GraphItem.self), file.size == item.size,
            let reported = file.reported.first
        {
            guard let ours = response.digest(reported.algorithm) else {
                var again = Exchange(.get, address.item(named: item.name))
                again.digests = [DigestRequest(reported.algorithm, of: 0..<item.size)]
                return .send(again)
            }
            if ours == reported.bytes { return service.finish(response) }
        }
        // Otherwise, the server could store a second file, or refuse the request because this upload's own file exists.
        guard options.existing == .replace || !isThere && options.existing != .rename else {
            return .failed(SingleRequestUpload.unknownOutcome(nil))
        }
        return restart(after: resource, because: "the server no longer knows the upload")
    }

    private mutating func restart(after resource: UploadResource, because reason: String) -> Step {
        if let end = resource.end(&dropped, because: reason) { return end }
        return create(noting: resource.confirmed > 0 ? [.serverLost(resource.confirmed)] : [])
    }

    private mutating func sendWhole(_ resource: UploadResource?) -> Step {
        guard !address.isSession else {
            return .failed(
                .permanent, "an upload session takes no empty file",
                hint: "use a destination whose url ends with :/createUploadSession")
        }
        let isRepeatable = options.existing == nil || options.existing == .replace
        if resource?.wholeBodySent == true { return .failed(SingleRequestUpload.unknownOutcome(nil)) }
        var exchange = Exchange(
            .put, address.content(of: item.name, policy: policy), fields: [.contentType: item.contentType],
            traits: isRepeatable ? [.idempotent, .completes] : .completes)
        service.addDigests(to: &exchange)
        if !isRepeatable {
            let base = UploadAddress.withoutQuery(exchange.url)
            exchange.markBeforeLastBytes = UploadResource(url: base).withWholeBodySent(true)
        }
        phase = .sendingWhole
        return .send(exchange)
    }

    private func receiveWhole(_ response: ExchangeOutcome.Response) -> Step {
        switch response.status {
        case 200..<300: service.finish(response)
        case 409 where ServiceFailure(response).code == "nameAlreadyExists":
            .failed(.nameTaken(item.name, instead: "replace or rename"), notes: [.resource(nil)])
        default: .failed(ServiceFailure.of(response), notes: [.resource(nil)])
        }
    }
}
