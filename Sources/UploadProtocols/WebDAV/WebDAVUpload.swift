import HTTPTypes

/// The upload protocol WebDAV (RFC 4918). It sends the file by `PUT` under a temporary name, checks the stored size,
/// and renames the file by `MOVE`. The protocol `put` supports servers without `MOVE`.
///
/// If the connection breaks during a `PUT`, some servers keep a truncated file, or delete the old file of that name.
/// The temporary name protects the file under the final name.
///
/// An interrupted upload starts again, except on a server that can write parts of a file, as SabreDAV by its partial
/// update (`PATCH`). On other servers, `PUT` with `Content-Range` is tried if a chunk size is configured, or if the
/// server refused a large request. Some servers ignore `Content-Range` and replace the file by the part. So the field
/// is used only under the temporary name.
///
/// After a `MOVE`, a lookup checks the final name: behind a proxy that changes paths, the file can be at another URL.
public struct WebDAVUpload: SequentialProtocol {
    public static let name = "webdav"
    /// The traits; `resumes` is false, because most servers cannot write parts of a file.
    public static let traits = ProtocolTraits(
        resumes: false, fillsSlot: true, respondsWithPages: true, checksums: [.md5, .sha1, .sha256],
        existing: Set(ExistingFilePolicy.allCases))

    enum Phase: Sendable {
        case asking
        case looking(PropertyLookup, Purpose)
        case making(WebDAVFolders)
        case writing(WebDAVChunk)
        /// A trial `MOVE` to a second temporary name: does the server move files to the URL in `Destination`?
        case trying
        case moving
        /// Deletes a temporary file, and then takes this last step.
        case clearing(Step)
    }

    enum Purpose: Sendable {
        /// The temporary file: how many bytes did an earlier attempt store?
        case temporary
        /// A possible final name: does a file have it already? The policy for an existing file decides.
        case found(ExistingChoice)
        /// The folder of the file: is it missing, so that many bytes would be sent in vain?
        case folder
        /// The folder of the file, after the server refused the file with this failure: is it missing?
        case refusedFolder(UploadFailure)
        /// The temporary file: did all bytes up to the end of this chunk arrive?
        case written(WebDAVChunk)
        /// The second temporary name: has the trial `MOVE` worked?
        case trial
        /// The temporary file, after the server refused the `MOVE` with this response: does it still exist?
        case unmoved(ExchangeOutcome.Response)
        /// The final name: has it the new file? `isOurs` is true if the server reported the `MOVE` as successful.
        case result(isOurs: Bool)
    }

    /// The final name of the file, and what the server has under this name.
    struct Goal: Sendable {
        var name: String
        var replaces = false
        /// The version of the file that has this name on the server; nil if there is none, or it is unknown.
        var version: WebDAVVersion?
    }

    /// The maximum size in bytes of a file that is sent without a lookup of its folder, in vain if it is missing.
    static let folderLookSize: ByteCount = 64 << 10

    let item: UploadItem
    let options: ProtocolOptions
    var phase = Phase.asking
    var server = WebDAVServer(ServerCapabilities())
    /// The state of the upload that is stored for a later attempt; nil for a new upload until its first `PUT`.
    var resource: UploadResource?
    /// The number of usable bytes in the temporary file; nil without such a file, or before it is looked up.
    var held: ByteCount?
    /// The version of the temporary file, as last described by the server.
    var newVersion: WebDAVVersion?
    var goal: Goal
    var knowsFolder = false
    var budget = RetryBudget()
    private var pending: [Step.Note] = []

    /// - Parameter options: The options, of which chunk size, checksum and policy for an existing file apply.
    public init(item: UploadItem, options: ProtocolOptions) {
        self.item = item
        self.options = options
        goal = Goal(name: item.name)
    }

    public static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)? {
        WebDAVCheck(url: url, options: options)
    }

    public mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
        if let policy = options.existing, policy != .replace, !UploadAddress.tellsNamesApart(item.url) {
            return .failed(.oneAddress(""))
        }
        self.resource = resource
        goal.version = resource?.webDAV.old
        newVersion = resource?.webDAV.new
        guard let capabilities else {
            let folder = WebDAVAddress(UploadAddress.address(item.url, for: "a")).folderURL
            return .send(Exchange(.options, folder))
        }
        server = WebDAVServer(capabilities)
        return begin()
    }

    public mutating func receive(_ reply: ExchangeOutcome) -> Step {
        let step = next(reply)
        defer { pending = [] }
        return step.noting(pending)
    }

    public func removal(of resource: UploadResource) -> [Exchange] {
        [resource.url, resource.webDAV.nextURL, resource.webDAV.abandonedURL].compactMap { $0 }
            .map { Exchange(.delete, $0) }
    }
}

extension WebDAVUpload {
    private mutating func next(_ reply: ExchangeOutcome) -> Step {
        guard case .responded(let response) = reply else {
            if case .clearing(let end) = phase { return end }
            return .failed(reply.failure)
        }
        switch phase {
        case .asking: return receiveOptions(response)
        case .looking(let look, let purpose): return receiveLook(response, look, purpose)
        case .making(let folders): return receiveFolder(response, folders)
        case .writing(let chunk): return receiveWritten(response, chunk)
        case .trying where response.isSuccess && response.status != 207:
            return look(at: temporary.nextTemporary, for: .trial)
        case .trying, .moving: return receiveMove(response)
        case .clearing(let end):
            if response.isSuccess || [404, 410].contains(response.status) {
                note(.resource(nil))
            }
            return end
        }
    }

    /// True if an earlier attempt possibly moved the file to its final name.
    var mayBeMoved: Bool { resource?.webDAV.movedName != nil }

    mutating func note(_ note: Step.Note) { pending.append(note) }

    mutating func noteServer() { note(.capabilities(server.capabilities)) }

    mutating func noteResource(confirmed: ByteCount) {
        guard let before = resource else { return }
        resource?.confirmed = confirmed
        pending += before.notes(of: resource ?? before)
    }

    func address(of name: String) -> WebDAVAddress {
        WebDAVAddress(UploadAddress.address(item.url, for: name))
    }

    var finalAddress: WebDAVAddress { address(of: goal.name) }

    /// The URL of the temporary file, stored or made from the item's name: a policy can change the final name.
    var temporary: WebDAVAddress {
        resource.map { WebDAVAddress($0.url) } ?? address(of: item.name).temporary(key: item.key)
    }

    private mutating func receiveOptions(_ response: ExchangeOutcome.Response) -> Step {
        let failure = WebDAVFailure.failure(response)
        if failure.category == .authentication || failure.isTransient { return .failed(failure) }
        server = WebDAVServer(options: response)
        noteServer()
        return begin()
    }

    private mutating func begin() -> Step {
        guard server.moves else { return .failed(WebDAVFailure.noMove(nil)) }
        guard let resource else { return choose() }
        return look(at: WebDAVAddress(resource.url), for: .temporary)
    }

    mutating func look(at address: WebDAVAddress, for purpose: Purpose, orders: [DigestRequest] = []) -> Step
    {
        let look = PropertyLookup(
            address, takesPropfind: server.takesPropfind,
            asksChecksums: server.isOwnCloud || options.checksum != nil, orders: orders)
        phase = .looking(look, purpose)
        var exchange = look.start()
        if case .result = purpose, look.takesPropfind {
            OfferedDigest.take(
                [.sha256, .sha1, .md5], in: .webDAVProperties, of: &exchange, size: item.size,
                options.checksumChoice)
        }
        return .send(exchange)
    }

    private mutating func receiveLook(
        _ response: ExchangeOutcome.Response, _ look: PropertyLookup, _ purpose: Purpose
    ) -> Step {
        var look = look
        let verdict = look.receive(response)
        if server.takesPropfind, !look.takesPropfind {
            server.takesPropfind = false
            noteServer()
        }
        switch verdict {
        case .ask(let exchange):
            phase = .looking(look, purpose)
            return .send(exchange)
        case .failed(let failure): return failed(failure, purpose)
        case .found(let found, let ours): return act(on: found, ours, purpose)
        }
    }

    private mutating func failed(_ failure: UploadFailure, _ purpose: Purpose) -> Step {
        if case .temporary = purpose, [423, 500].contains(failure.status) {
            return refusedTemporary(failure)
        }
        guard failure.category == .permanent else { return .failed(failure) }
        switch purpose {
        // The folder is possibly still writable.
        case .folder: return write(from: 0)
        case .refusedFolder(let refusal): return .failed(refusal)
        case .written(let chunk): return measured(nil, chunk)
        case .result(isOurs: true): return done(receipt(nil))
        case .temporary, .found, .trial, .unmoved, .result(isOurs: false): return .failed(failure)
        }
    }

    private mutating func act(on found: FoundEntry, _ ours: [ComputedDigest], _ purpose: Purpose) -> Step {
        switch purpose {
        case .temporary: return foundTemporary(found)
        case .trial: return foundTrial(found)
        case .unmoved(let refusal): return foundUnmoved(found, after: refusal)
        case .found(var choice):
            goal.version = found.version
            let verdict = choice.receive(found, ours: ours)
            return act(on: verdict, choice)
        case .folder: return foundFolder(found)
        case .refusedFolder(let refusal): return found == .nothing ? foundFolder(found) : .failed(refusal)
        case .written(let chunk): return measured(found, chunk)
        case .result(let isOurs): return foundResult(found, isOurs: isOurs, computed: ours)
        }
    }

    /// Looks up the final name under every policy: a `MOVE` with `Overwrite: T` could replace a whole folder.
    mutating func choose() -> Step {
        let choice = ExistingChoice(item, policy: options.existing, looksAlways: true)
        return act(on: choice.start(), choice)
    }

    private mutating func act(on verdict: ExistingChoice.Verdict, _ choice: ExistingChoice) -> Step {
        switch verdict {
        case .look(let name, let digests):
            return look(at: address(of: name), for: .found(choice), orders: digests)
        case .free(let name, let replaces):
            (goal.name, goal.replaces) = (name, replaces)
            return proceed()
        case .finished(let name, var receipt):
            receipt.location = address(of: name).url
            return held == nil ? .done(receipt) : clear(.done(receipt))
        case .failed(let failure): return .failed(failure)
        }
    }

    /// Moves a complete temporary file, or sends the next bytes, after a lookup of the folder of a large file.
    private mutating func proceed() -> Step {
        if held == item.size { return moveToFinalName() }
        if held ?? 0 == 0, !knowsFolder, item.size > Self.folderLookSize {
            return look(at: WebDAVAddress(finalAddress.folderURL), for: .folder)
        }
        return write(from: held ?? 0)
    }

    mutating func clear(_ end: Step, at url: String? = nil) -> Step {
        phase = .clearing(end)
        return .send(Exchange(.delete, url ?? temporary.url))
    }

    /// Ends the upload, after deleting any abandoned file under another temporary name.
    mutating func done(_ receipt: Receipt) -> Step {
        guard let url = resource?.webDAV.abandonedURL else { return .done(receipt) }
        return clear(.done(receipt), at: url)
    }
}
