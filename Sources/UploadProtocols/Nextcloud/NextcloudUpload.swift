import FerryFiles
import HTTPTypes

/// Nextcloud's chunked upload, version 2 (Nextcloud developer manual, "Chunked file upload"). Chunks are sent to a
/// separate folder, in any order, and a `MOVE` assembles them at the file's URL. A small file is one `PUT`. It is
/// tested against a server written from the documentation, not against a real Nextcloud.
public struct NextcloudUpload: UploadProtocol {
    public static let name = "nextcloud"
    public static let traits = ProtocolTraits(
        resumes: true, isParallel: true, fillsSlot: true, respondsWithPages: true,
        checksums: [.md5, .sha1, .sha256], existing: Set(ExistingFilePolicy.allCases))

    enum Phase: Sendable {
        case looking(PropertyLookup, Purpose)
        case makingFolders(WebDAVFolders)
        case sendingWhole
        case makingUpload
        case listing
        case sendingChunks(PartTable<NextcloudPlan>)
        case moving
        /// The server computes the digest of the stored file. `ours` has the digests of the local file.
        case hashing(Receipt, ours: [ComputedDigest])
        case deleting(Receipt)
    }

    enum Purpose: Sendable {
        /// A lookup of the file's name, to apply the policy for an existing file.
        case found(ExistingChoice)
        case folder
        /// A lookup that shows whether an earlier `MOVE` without a response is still running.
        case assembling
        /// A lookup of the file that an earlier `MOVE` may have assembled.
        case settled
        /// A lookup of the stored file after the server reported success. `ours` has the digests of the local file.
        case result(ours: [ComputedDigest])
    }

    /// The number of lookups of the upload's folder after which a `MOVE` without a response is sent again.
    static let pollLimit = 4
    /// The seconds until the next lookup while the server assembles the file, unless the server requests a pause.
    static let pollPause = 15.0
    static let usualParallelRequests = 2

    let item: UploadItem
    let options: ProtocolOptions
    var phase: Phase
    /// The resource that this upload recorded most recently: the upload's folder, or the URL of a small file.
    var resource: UploadResource?
    /// The name of the file on the server. It can differ from `item.name` if a file with that name exists.
    var name: String
    var replaces = false
    /// The file that already exists at the upload's final URL; nil if there is none.
    var old: WebDAVVersion?
    /// True if the `MOVE` of an earlier attempt may have assembled the file on the server.
    var mayBeMoved = false
    /// True once this attempt has found the folder of the file, or has begun to create it.
    var knowsFolder = false
    var budget = RetryBudget()
    var atOnce: PartConcurrency
    private var pending: [Step.Note] = []

    /// - Parameter options: Chunk size, parallel requests, checksum and policy for an existing file are used.
    public init(item: UploadItem, options: ProtocolOptions) {
        self.item = item
        self.options = options
        atOnce = PartConcurrency(most: options.parallelRequests ?? Self.usualParallelRequests)
        name = item.name
        phase = .makingUpload
    }

    public static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)? {
        NextcloudCheck(url: url, options: options)
    }

    public mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
        guard NextcloudAddress(item.url) != nil, UploadAddress.tellsNamesApart(item.url) else {
            return .failed(Self.wrongAddress)
        }
        self.resource = resource
        if resource != nil { atOnce.beginAfterBreak() }
        guard !plan.isTooLarge else {
            let limit = NextcloudPlan.chunkSizes.upperBound * NextcloudPlan.chunkLimit
            return .failed(.tooLarge(item.size, limit: limit, taker: "the most by nextcloud is"))
        }
        if let resource, resource.isChunked, resource.wholeBodySent {
            name = resource.nextcloud.name ?? item.name
            mayBeMoved = true
            return look(at: WebDAVAddress(resource.url), for: .assembling)
        }
        return choose()
    }

    public mutating func receive(_ reply: ExchangeOutcome, to exchange: Exchange) -> Step {
        let step = next(reply, exchange)
        defer { pending = [] }
        return step.noting(pending)
    }

    /// Deletes the upload's folder. A file sent in one request is not deleted, because it may be complete.
    public func removal(of resource: UploadResource) -> [Exchange] {
        resource.isChunked ? [Exchange(.delete, resource.url)] : []
    }
}

extension NextcloudUpload {
    private mutating func next(_ reply: ExchangeOutcome, _ exchange: Exchange) -> Step {
        let response: ExchangeOutcome.Response
        switch (reply, phase) {
        case (.broken, .deleting(let receipt)): return .done(receipt)
        case (.broken, .hashing(let receipt, _)) where options.checksum == nil: return .done(receipt)
        case (.broken(let failure, .some), .moving):
            noteAssembling()
            return .failed(failure)
        case (.broken(let failure, _), _): return .failed(failure)
        case (.responded(let received), _): response = received
        }
        switch phase {
        case .looking(let look, let purpose): return receiveLook(response, look, purpose)
        case .makingFolders(let folders): return receiveFolder(response, folders)
        case .sendingWhole: return receiveWhole(response, exchange)
        case .makingUpload: return receiveUpload(response)
        case .listing: return receiveList(response)
        case .sendingChunks(let chunks): return receiveChunk(response, exchange.part, chunks)
        case .moving: return receiveMove(response)
        case .hashing(let receipt, let ours): return receiveHash(response, receipt, ours)
        case .deleting(let receipt): return .done(receipt)
        }
    }

    mutating func note(_ note: Step.Note) { pending.append(note) }

    mutating func noteResource(_ noted: UploadResource?) {
        let lost = (resource?.confirmed ?? 0) - (noted?.confirmed ?? 0)
        if lost > 0 { note(.serverLost(lost)) }
        resource = noted
        note(.resource(noted))
    }

    func address(of name: String) -> WebDAVAddress {
        WebDAVAddress(UploadAddress.address(item.url, for: name))
    }

    /// The division of the file into chunks, of the size that an earlier attempt stored, or else that of the options.
    var plan: NextcloudPlan {
        resource?.nextcloud.chunkSize.map { NextcloudPlan(size: item.size, chunkSize: $0) }
            ?? NextcloudPlan(size: item.size, wished: options.chunkSize)
    }

    var isSmall: Bool { item.size <= plan.chunkSize }

    mutating func look(at address: WebDAVAddress, for purpose: Purpose, orders: [DigestRequest] = []) -> Step
    {
        let look = PropertyLookup(
            address, takesPropfind: true, asksChecksums: options.existing == .skip, orders: orders)
        phase = .looking(look, purpose)
        return .send(look.start())
    }

    private mutating func receiveLook(
        _ response: ExchangeOutcome.Response, _ look: PropertyLookup, _ purpose: Purpose
    ) -> Step {
        var look = look
        switch (look.receive(response), purpose) {
        case (.ask(let exchange), _):
            phase = .looking(look, purpose)
            return .send(exchange)
        case (.failed(let failure), _): return .failed(failure)
        case (.found(let found, let ours), .found(var choice)):
            old = found.version
            let verdict = choice.receive(found, ours: ours)
            return act(on: verdict, choice)
        case (.found(.nothing, _), .folder): return makeFolders()
        case (.found, .folder): return makeUpload()
        case (.found(let found, _), .assembling): return foundAssembling(found)
        case (.found(let found, _), .settled): return foundSettled(found)
        case (.found(let found, _), .result(let ours)): return foundResult(found, ours)
        }
    }

    /// Looks up the file's URL under every policy, because a folder there must not be replaced.
    mutating func choose() -> Step {
        let begun = resource.flatMap { noted in
            noted.nextcloud.name.map { ExistingChoice.Begun(name: $0, mayBeComplete: noted.wholeBodySent) }
        }
        let choice = ExistingChoice(item, policy: options.existing, begun: begun, looksAlways: true)
        return act(on: choice.start(), choice)
    }

    private mutating func act(on verdict: ExistingChoice.Verdict, _ choice: ExistingChoice) -> Step {
        switch verdict {
        case .look(let name, let digests):
            return look(at: address(of: name), for: .found(choice), orders: digests)
        case .free(let name, let replaces):
            (self.name, self.replaces) = (name, replaces)
            if isSmall { return sendWhole() }
            if resource?.isChunked == true { return list() }
            return knowsFolder
                ? makeUpload() : look(at: WebDAVAddress(address(of: name).folderURL), for: .folder)
        case .finished(let name, var receipt):
            receipt.location = address(of: name).url
            guard let resource, resource.isChunked else { return .done(receipt) }
            phase = .deleting(receipt)
            return .send(Exchange(.delete, resource.url))
        case .failed(let failure): return .failed(failure)
        }
    }

    mutating func makeFolders() -> Step {
        knowsFolder = true
        guard let folders = WebDAVFolders(of: address(of: name)) else {
            return isSmall ? sendWhole() : makeUpload()
        }
        phase = .makingFolders(folders)
        return folders.start()
    }

    private mutating func receiveFolder(_ response: ExchangeOutcome.Response, _ folders: WebDAVFolders)
        -> Step
    {
        var folders = folders
        let step = folders.receive(response)
        phase = .makingFolders(folders)
        return step ?? (isSmall ? sendWhole() : makeUpload())
    }

    /// Adds the file's modification time and, if required, a digest, both of which Nextcloud stores.
    func addKept(to exchange: inout Exchange) {
        if let modified = item.modified {
            exchange.fields[.ocMtime] = "\(Int64(modified.timeIntervalSince1970))"
        }
        guard let algorithm = options.checksum, let name = ServerDigest.ownCloudName(of: algorithm) else {
            return
        }
        exchange.digests = [
            DigestRequest(algorithm, of: 0..<item.size, in: .init(.ocChecksum, .hex, prefix: "\(name):"))
        ]
    }
}

struct NextcloudMemory: ResumeForm {
    /// The name of the file on the server.
    var name: String?
    /// The number of bytes in each chunk but the last; nil for a file that is sent in one request.
    var chunkSize: ByteCount?
    /// The number of attempts in a row that ended while the server might still be assembling the file.
    var polls = 0
    /// The file that the `MOVE` replaces; nil if there was none.
    var old: WebDAVVersion?

    static let keys: ResumeKeys<Self> = [
        .init("name", \.name), .init("chunk", \.chunkSize), .init("polls", \.polls),
        .init("old", \.old.storedSize), .init("oldTag", \.old.storedTag), .init("oldTime", \.old.storedTime),
    ]
}

extension UploadResource {
    var nextcloud: NextcloudMemory {
        get { self[NextcloudMemory.self] }
        set { self[NextcloudMemory.self] = newValue }
    }

    var isChunked: Bool { nextcloud.chunkSize != nil }
}
