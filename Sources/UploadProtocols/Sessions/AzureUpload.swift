import FerryFiles
import HTTPTypes

/// The upload protocol for block blobs in Azure Storage, with a shared access signature in the destination's URL. A
/// file larger than one block is sent as blocks, and a last request joins them.
public struct AzureUpload: UploadProtocol {
    public static let name = "azure"
    public static let traits = ProtocolTraits(
        resumes: true, isParallel: true, fillsSlot: true, checksums: [.md5],
        existing: [.skip, .replace, .rename, .fail])

    private enum Phase: Sendable {
        case idle
        case looking(ExistingFile)
        case sendingWhole(UploadResource)
        /// Looks up the blob, because an earlier attempt possibly sent the whole file.
        case checkingWhole(UploadResource)
        /// Requests the list of the blob's committed blocks, to see whether an earlier attempt completed the blob.
        case askingCommitted(UploadResource, BlockPlan)
        case askingHeld(UploadResource, BlockPlan)
        case sending(UploadResource, PartTable<BlockPlan>)
        case committing(UploadResource, BlockPlan)
    }

    private static let usualParallel = 4

    private let item: UploadItem
    private let options: ProtocolOptions
    private var phase = Phase.idle
    private var budget = RetryBudget()
    private var atOnce: PartConcurrency
    /// The algorithms of equal digests that Azure reported for blocks of this attempt, by the index of the block.
    private var verifiedBlocks: [Int: DigestAlgorithm] = [:]

    /// - Parameter options: The chunk size, the parallel requests, the checksum and the policy for a file apply.
    public init(item: UploadItem, options: ProtocolOptions) {
        self.item = item
        self.options = options
        atOnce = PartConcurrency(most: options.parallelRequests ?? Self.usualParallel)
    }

    public static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)? {
        AzureCheck(url: url)
    }

    public mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
        if let wrong = item.parameters.first(where: { !$0.isAzureMetadata }) {
            return .failed(
                .permanent, "a parameter cannot be a blob's metadata: \(wrong.name)",
                hint: "names are of letters, digits and underscores, values of printable ASCII")
        }
        if let resource {
            atOnce.beginAfterBreak()
            return resume(resource)
        }
        let url = item.url
        var looking = ExistingFile(item, policy: options.existing) { UploadAddress.address(url, for: $0) }
        return followed(looking.start(), &looking)
    }

    public mutating func receive(_ reply: ExchangeOutcome, to exchange: Exchange) -> Step {
        guard case .responded(let response) = reply else { return .failed(reply.failure) }
        switch phase {
        case .idle: return .failed(.unasked)
        case .looking(var looking): return followed(looking.receive(response.reportingBlobMD5), &looking)
        case .sendingWhole(let resource): return receiveWhole(response, resource)
        case .checkingWhole(let resource): return receiveCheck(response, resource)
        case .askingCommitted(let resource, let plan): return receiveCommitted(response, resource, plan)
        case .askingHeld(let resource, let plan): return receiveHeld(response, resource, plan)
        case .sending(let resource, let table): return receiveBlock(response, exchange, resource, table)
        case .committing(let resource, let plan): return receiveCommit(response, resource, plan)
        }
    }

    /// Returns an empty list: no request deletes uncommitted blocks. Azure deletes them itself after a week.
    public func removal(of resource: UploadResource) -> [Exchange] { [] }
}

extension AzureUpload {
    private mutating func followed(_ verdict: ExistingFile.Verdict, _ looking: inout ExistingFile) -> Step {
        switch verdict {
        case .ask(let exchange):
            phase = .looking(looking)
            return .send(AzureBlob(exchange.url, item, options).asked(exchange))
        case .failed(let failure): return .failed(failure)
        case .finished(var receipt):
            receipt.location = receipt.location.map(UploadAddress.withoutQuery)
            return .done(receipt)
        case .free(let name, let precondition): return begin(name, onlyNew: !precondition.isEmpty)
        }
    }

    private mutating func begin(_ name: String, onlyNew: Bool) -> Step {
        guard let plan = BlockPlan(size: item.size, wish: options.chunkSize, key: item.key) else {
            let limit = BlockPlan.largestBlock * BlockPlan.blockLimit
            return .failed(.tooLarge(item.size, limit: limit, taker: "a blob at most"))
        }
        let base = UploadAddress.withoutQuery(UploadAddress.address(item.url, for: name))
        var resource = UploadResource(url: base)
        resource.azure.mustBeNew = onlyNew
        resource.azure.hasBlockSums = options.checksum == .md5
        guard plan.count > 1 else { return sendWhole(resource, noting: [.resource(resource)]) }
        resource.azure.blockSize = plan.blockSize
        return send([], resource, plan)
    }

    private mutating func resume(_ resource: UploadResource) -> Step {
        guard let blockSize = resource.azure.blockSize else {
            guard resource.wholeBodySent, resource.azure.mustBeNew else { return sendWhole(resource) }
            phase = .checkingWhole(resource)
            var head = blob(resource).head()
            head.digests = [DigestRequest(.md5, of: 0..<item.size)]
            return .send(head)
        }
        guard let plan = BlockPlan(size: item.size, blockSize: blockSize, key: item.key) else {
            return .failed(.permanent, "the upload's blocks do not fit this file", notes: [.resource(nil)])
        }
        guard resource.wholeBodySent else {
            var resource = resource
            if options.checksum != .md5 { resource.azure.hasBlockSums = false }
            return ask(resource, plan)
        }
        phase = .askingCommitted(resource, plan)
        return .send(blob(resource).list("committed"))
    }

    private func blob(_ resource: UploadResource) -> AzureBlob { AzureBlob(resource.url, item, options) }

    private func exists(_ resource: UploadResource) -> Step {
        .failed(.nameTaken(item.name, instead: "replace or rename"), notes: [.resource(nil)])
    }
}

extension AzureUpload {
    private mutating func sendWhole(_ resource: UploadResource, noting notes: [Step.Note] = []) -> Step {
        phase = .sendingWhole(resource)
        var exchange = blob(resource).put(onlyNew: resource.azure.mustBeNew)
        if resource.azure.mustBeNew { exchange.markBeforeLastBytes = resource.withWholeBodySent(true) }
        return .send(exchange, notes: notes)
    }

    private mutating func receiveWhole(
        _ response: ExchangeOutcome.Response, _ resource: UploadResource
    ) -> Step {
        switch response.status {
        case 200, 201:
            var verified = response.isOfAzure ? options.checksum : nil
            switch response.azureComparison {
            case .different(let algorithm):
                return !resource.azure.mustBeNew && budget.allows(.damage)
                    ? sendWhole(resource)
                    : .failed(DigestComparison.mismatch(algorithm), notes: [.resource(nil)])
            case .same(let algorithm): verified = algorithm
            case nil: break
            }
            return .done(blob(resource).receipt(response, verified: verified))
        case 409 where resource.azure.mustBeNew, 412 where resource.azure.mustBeNew: return exists(resource)
        case 400 where ServiceFailure(response).code == "Md5Mismatch":
            return budget.allows(.damage) ? sendWhole(resource) : .failed(ServiceFailure.of(response))
        default:
            let failure = ServiceFailure.of(response)
            return .failed(failure, notes: failure.isTransient ? [] : [.resource(nil)])
        }
    }

    private mutating func receiveCheck(
        _ response: ExchangeOutcome.Response, _ resource: UploadResource
    ) -> Step {
        switch response.status {
        case 404: return sendWhole(resource, noting: [.resource(resource.withWholeBodySent(false))])
        case 200..<300:
            guard response.contentLength == item.size, case .same(let algorithm)? = response.azureComparison
            else { return exists(resource) }
            return .done(blob(resource).receipt(response, verified: algorithm))
        default: return .failed(ServiceFailure.of(response))
        }
    }
}

extension AzureUpload {
    private mutating func ask(
        _ resource: UploadResource, _ plan: BlockPlan, noting notes: [Step.Note] = []
    ) -> Step {
        phase = .askingHeld(resource, plan)
        return .send(blob(resource).list("uncommitted"), notes: notes)
    }

    /// Handles the list of the blob's committed blocks. Unless these are this upload's, requests the uncommitted ones.
    private mutating func receiveCommitted(
        _ response: ExchangeOutcome.Response, _ resource: UploadResource, _ plan: BlockPlan
    ) -> Step {
        switch response.status {
        case 200..<300:
            let blocks = BlockList.blocks("CommittedBlocks", in: response.body) ?? []
            return plan.isWhole(blocks) ? done(resource, plan, response) : ask(resource, plan)
        case 404 where ServiceFailure(response).code != "ContainerNotFound": return ask(resource, plan)
        // A repeated `Put Block List` would prove nothing: the server also refuses it if this upload made the blob.
        case 403 where resource.azure.mustBeNew:
            return .failed(SingleRequestUpload.unknownOutcome(ServiceFailure.of(response)))
        case 403: return ask(resource, plan)
        default: return .failed(ServiceFailure.of(response))
        }
    }

    private mutating func receiveHeld(
        _ response: ExchangeOutcome.Response, _ resource: UploadResource, _ plan: BlockPlan
    ) -> Step {
        switch response.status {
        case 200..<300:
            guard let blocks = BlockList.blocks("UncommittedBlocks", in: response.body) else {
                return .failed(.server, "the server's list of blocks cannot be read")
            }
            return send(plan.held(blocks), resource, plan)
        case 404 where ServiceFailure(response).code != "ContainerNotFound", 403:
            return send([], resource, plan)
        default: return .failed(ServiceFailure.of(response))
        }
    }

    /// Sends the first blocks that are not in `held`, the indices of the stored ones, or joins them if all are stored.
    private mutating func send(_ held: Set<Int>, _ resource: UploadResource, _ plan: BlockPlan) -> Step {
        var table = PartTable(plan, held: held)
        var moved = resource.withWholeBodySent(false)
        moved.confirmed = table.confirmed
        moved.parts = table.progress
        let notes = resource.notes(of: moved)
        let first = table.next(atOnce.limit)
        guard !first.isEmpty else { return commit(moved, plan, noting: notes) }
        phase = .sending(moved, table)
        let blob = blob(moved)
        return .sendAll(first.map { blob.put(block: $0, of: plan) }, notes: notes)
    }

    private mutating func receiveBlock(
        _ response: ExchangeOutcome.Response, _ exchange: Exchange, _ resource: UploadResource,
        _ before: PartTable<BlockPlan>
    ) -> Step {
        guard response.isSuccess else {
            let isDamaged = response.status == 400 && ServiceFailure(response).code == "Md5Mismatch"
            return isDamaged && budget.allows(.damage)
                ? .send(exchange) : .failed(ServiceFailure.of(response))
        }
        switch response.azureComparison {
        case .different(let algorithm):
            return budget.allows(.damage) ? .send(exchange) : .failed(DigestComparison.mismatch(algorithm))
        case .same(let algorithm): verifiedBlocks[exchange.part] = algorithm
        case nil: break
        }
        var (moved, table) = (resource, before)
        table.hold(exchange.part)
        moved.confirmed = table.confirmed
        moved.parts = table.progress
        let reported = response.date(in: .date)
        moved.expires = reported?.addingTimeInterval(.week) ?? resource.expires
        let notes: [Step.Note] = [.resource(moved)]
        let next = table.next(atOnce.arrived())
        phase = .sending(moved, table)
        guard next.isEmpty else {
            return .sendAll(next.map { blob(moved).put(block: $0, of: table.plan) }, notes: notes)
        }
        return table.isComplete ? commit(moved, table.plan, noting: notes) : .wait(notes: notes)
    }

    private mutating func commit(
        _ resource: UploadResource, _ plan: BlockPlan, noting notes: [Step.Note]
    ) -> Step {
        phase = .committing(resource, plan)
        var exchange = blob(resource).commit(plan, onlyNew: resource.azure.mustBeNew)
        exchange.markBeforeLastBytes = resource.withWholeBodySent(true)
        return .send(exchange, notes: notes)
    }

    private mutating func receiveCommit(
        _ response: ExchangeOutcome.Response, _ resource: UploadResource, _ plan: BlockPlan
    ) -> Step {
        let failure = ServiceFailure.of(response)
        switch response.status {
        case 200, 201: return done(resource, plan, response)
        case 409 where resource.azure.mustBeNew, 412 where resource.azure.mustBeNew: return exists(resource)
        case 400 where ["InvalidBlockList", "InvalidBlobOrBlock"].contains(ServiceFailure(response).code):
            // Blocks that were damaged in transit cause this error too.
            guard budget.allows(.damage) else { return .failed(failure) }
            return ask(resource, plan, noting: [.resource(resource)])
        default: return .failed(failure, notes: failure.isTransient ? [] : [.resource(resource)])
        }
    }

    /// Returns the step that completes the upload. The MD5 is verified if Azure got it for every block. Otherwise, the
    /// algorithm counts by which this attempt compared every block.
    private func done(
        _ resource: UploadResource, _ plan: BlockPlan, _ response: ExchangeOutcome.Response
    ) -> Step {
        let isChecked = resource.azure.hasBlockSums && options.checksum == .md5 && response.isOfAzure
        let compared = verifiedBlocks.count == plan.count ? verifiedBlocks.values.first : nil
        return .done(blob(resource).receipt(response, verified: isChecked ? .md5 : compared))
    }
}

/// The facts that an upload to Azure stores between attempts.
struct AzureMemory: ResumeForm {
    /// The size of a block in bytes. Nil if the file is sent in one request.
    var blockSize: ByteCount?
    /// True if the upload must not replace an existing blob.
    var mustBeNew = false
    /// True if every block of this upload that was sent had its MD5 in the request.
    var hasBlockSums = false

    static let keys: ResumeKeys<Self> =
        [.init("blockSize", \.blockSize), .init("onlyNew", \.mustBeNew), .init("md5", \.hasBlockSums)]
}

extension UploadResource {
    var azure: AzureMemory {
        get { self[AzureMemory.self] }
        set { self[AzureMemory.self] = newValue }
    }
}

extension UploadItem.Parameter {
    /// True if Azure accepts the parameter as metadata: an ASCII identifier, and a value of printable ASCII.
    fileprivate var isAzureMetadata: Bool {
        guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return name.utf8.allSatisfy(PlainCharacters(alphanumericsAnd: "_").contains)
            && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
