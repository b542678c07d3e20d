import FerryFiles
import HTTPTypes

/// The protocol of Google's resumable uploads (Cloud Storage, Drive, YouTube). It sends the file in ranges to an upload
/// session, which it creates or which the user configured.
public struct GoogleUpload: SequentialProtocol {
    public static let name = "google"
    public static let traits = ProtocolTraits(
        resumes: true, checksums: [.md5, .crc32c], existing: [.skip, .replace, .rename, .fail])

    private enum Phase: Sendable {
        /// Looks up an object in Cloud Storage. `number` is the number of names looked up, including this one.
        case looking(GoogleLookup, number: Int)
        case creating(name: String)
        case sending
        /// Checks whether the session has ended because the file is complete.
        case recovering(GoogleLookup, UploadResource)
    }

    private let item: UploadItem
    private let options: ProtocolOptions
    private let address: GoogleAddress
    private var session: ContentRangeSession<GoogleSession>
    private var phase = Phase.sending
    private var dropped = RestartGuard()

    /// - Parameter options: The chunk size, the checksum and the policy for an existing file apply.
    public init(item: UploadItem, options: ProtocolOptions) {
        self.item = item
        self.options = options
        address = GoogleAddress(url: item.url)
        session = ContentRangeSession(GoogleSession(item: item, options: options), size: item.size)
    }

    public static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)? {
        GoogleCheck(url: url)
    }

    public mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
        if let resource { return session.resume(resource) }
        return address.isSession ? session.resumeGiven(at: item.url, options) : begin()
    }

    public mutating func receive(_ reply: ExchangeOutcome) -> Step {
        switch (phase, reply) {
        case (.sending, _):
            switch session.receive(reply) {
            case .step(let step): step
            case .gone(let resource, let reason): gone(resource, because: reason)
            }
        case (_, .broken(let failure, _)): .failed(failure)
        case (.looking(let lookup, let number), .responded(let response)):
            receiveLookup(response, lookup, number: number)
        case (.creating(let name), .responded(let response)): receiveCreation(response, name: name)
        case (.recovering(let lookup, let resource), .responded(let response)):
            receiveRecovery(response, lookup, resource)
        }
    }

    public func removal(of resource: UploadResource) -> [Exchange] {
        [GoogleSession(item: item, options: options).removal(of: resource)]
    }
}

extension GoogleUpload {
    /// Starts a new upload, after a lookup of the name if a policy for existing files requires it. Files at other
    /// services than Cloud Storage can have equal names.
    private mutating func begin(noting notes: [Step.Note] = []) -> Step {
        switch options.existing {
        case nil: return create(item.name, noting: notes)
        case .replace where address.isCloudStorage: return create(item.name, noting: notes)
        case .skip, .rename, .fail, .replace:
            guard let lookup = GoogleLookup(item.name, item, at: address, compares: options.existing == .skip)
            else {
                return .failed(
                    .permanent, "files of one name stand side by side there, so none is in the way",
                    hint: "leave ifExists out")
            }
            return look(lookup, number: 1, noting: notes)
        }
    }

    private mutating func look(_ lookup: GoogleLookup, number: Int, noting notes: [Step.Note] = []) -> Step {
        phase = .looking(lookup, number: number)
        return .send(lookup.start(), notes: notes)
    }

    private mutating func receiveLookup(
        _ response: ExchangeOutcome.Response, _ lookup: GoogleLookup, number: Int
    ) -> Step {
        switch lookup.receive(response) {
        case .ask(let exchange): return .send(exchange)
        case .free: return create(lookup.name)
        case .same(let receipt): return .done(receipt)
        // Credentials may be unable to read objects. `ifGenerationMatch` still protects an existing one.
        case .failed(let response) where response.status == 403 && options.existing == .fail:
            return create(lookup.name)
        case .failed(let response): return .failed(ServiceFailure.of(response))
        case .other: break
        }
        guard options.existing == .rename else {
            return options.existing == .fail
                ? .failed(.nameTaken(lookup.name, instead: "replace or rename")) : create(lookup.name)
        }
        let next = FileName.numbered(item.name, number + 1)
        guard number < ExistingChoice.nameLimit,
            let lookup = GoogleLookup(next, item, at: address, compares: false)
        else { return .failed(.namesTaken(item.name, count: number)) }
        return look(lookup, number: number + 1)
    }

    private mutating func create(_ name: String, noting notes: [Step.Note] = []) -> Step {
        phase = .creating(name: name)
        var more: [(name: String, value: String)] = []
        if address.isCloudStorage, options.existing == .fail || options.existing == .rename {
            more.append(("ifGenerationMatch", "0"))
        }
        if !address.isCloudStorage, options.checksum == .md5,
            AddressQuery.value("fields", in: item.url) == nil
        {
            more.append(("fields", "id,name,size,md5Checksum"))
        }
        let fields: HTTPFields = [
            .contentType: "application/json; charset=UTF-8", .xUploadContentType: item.contentType,
            .xUploadContentLength: "\(item.size)",
        ]
        return .send(
            Exchange(
                .post, address.creation(of: name, more: more), fields: fields, body: .bytes(metadata(name)),
                traits: .idempotent),
            notes: notes)
    }

    /// Returns the JSON document that describes the file. The upload's parameters become custom metadata in Cloud
    /// Storage, and members of the document elsewhere, such as Drive's `parents` and `description`.
    private func metadata(_ name: String) -> [UInt8] {
        var object: [String: JSONValue] = [:]
        if !address.tellsName { object["name"] = .text(name) }
        if address.isCloudStorage {
            object["contentType"] = .text(item.contentType)
            let members = Dictionary(item.parameters.map { ($0.name, $0.value) }) { "\($0),\($1)" }
            if !members.isEmpty { object["metadata"] = .object(members.mapValues { .text($0) }) }
        } else {
            object["mimeType"] = .text(item.contentType)
            object["modifiedTime"] = item.modified.map { .text($0.formatted(.iso8601)) }
            for (name, same) in Dictionary(grouping: item.parameters, by: \.name) {
                let values = same.map { JSONValue.text($0.value) }
                // Drive accepts `parents` only as a list.
                object[name] = values.count > 1 || name == "parents" ? .array(values) : values.first
            }
        }
        return JSONValue.object(object).bytes
    }

    private mutating func receiveCreation(_ response: ExchangeOutcome.Response, name: String) -> Step {
        switch response.status {
        case 200, 201: break
        case 412: return .failed(.nameTaken(name, instead: "replace or rename"))
        default: return .failed(ServiceFailure.of(response))
        }
        guard let location = response.fields[.location] else {
            return .failed(
                .permanent, "the server began no upload session",
                hint: "check that the destination's url is an upload address with uploadType=resumable: "
                    + "the response has no Location")
        }
        do throws(UploadFailure) {
            var resource = UploadResource(url: try UploadAddress.resolve(location, against: item.url))
            dropped.mark(&resource)
            resource[SessionMemory.self].name = name
            let made = response.date(in: .date)
            if address.isCloudStorage { resource.expires = made?.addingTimeInterval(.week) }
            phase = .sending
            return session.append(resource, noting: [.resource(resource)])
        } catch { return .failed(error) }
    }

    /// Handles a lost session. Looks up the file if it was possibly sent, and otherwise starts again.
    private mutating func gone(_ resource: UploadResource, because reason: String) -> Step {
        guard resource.wholeBodySent else { return restart(after: resource, because: reason) }
        let name = resource[SessionMemory.self].name ?? item.name
        guard !resource.isGiven, let lookup = GoogleLookup(name, item, at: address, compares: true) else {
            return .failed(SingleRequestUpload.unknownOutcome(nil))
        }
        phase = .recovering(lookup, resource)
        return .send(lookup.start())
    }

    private mutating func receiveRecovery(
        _ response: ExchangeOutcome.Response, _ lookup: GoogleLookup, _ resource: UploadResource
    ) -> Step {
        switch lookup.receive(response) {
        case .ask(let exchange): return .send(exchange)
        case .same(var receipt):
            receipt.wasThere = false
            return .done(receipt)
        case .free: return restart(after: resource, because: "the server no longer knows the upload")
        case .other
        where options.existing == nil || options.existing == .replace || options.existing == .skip:
            return restart(after: resource, because: "the server no longer knows the upload")
        case .other: return .failed(SingleRequestUpload.unknownOutcome(nil))
        case .failed(let response):
            let failure = ServiceFailure.of(response)
            return .failed(failure.isTransient ? failure : SingleRequestUpload.unknownOutcome(failure))
        }
    }

    private mutating func restart(after resource: UploadResource, because reason: String) -> Step {
        if let end = resource.end(&dropped, because: reason) { return end }
        return begin(noting: resource.confirmed > 0 ? [.serverLost(resource.confirmed)] : [])
    }
}
