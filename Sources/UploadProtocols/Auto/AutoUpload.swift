import HTTPTypes

/// A protocol that finds out which protocol the server at a URL supports, and then uploads with that protocol.
///
/// The URL itself shows the protocol, or the response to an `OPTIONS` request does (RFC 9110 §9.3.7). No file is
/// uploaded as a test. The choice is stored with the server's capabilities, and in the upload resource for resuming.
public struct AutoUpload: UploadProtocol {
    public static let name = "auto"
    /// The abilities of all protocols together. If the chosen one lacks one that the options require, the
    /// upload fails before the first byte.
    public static let traits = ProtocolTraits(
        resumes: true, isParallel: true, respondsWithPages: true, checksums: Set(DigestAlgorithm.allCases),
        existing: Set(ExistingFilePolicy.allCases))

    private enum Phase: Sendable {
        case asking
        case speaking(any UploadProtocol, ProtocolChoice)
    }

    private let item: UploadItem
    private let options: ProtocolOptions
    private let catalog: [ProtocolCatalog.Entry]
    private var phase = Phase.asking

    /// - Parameter options: `parallelRequests` is ignored if the chosen protocol sends one request at a time.
    public init(item: UploadItem, options: ProtocolOptions) {
        self.init(item: item, options: options, catalog: ProtocolCatalog.entries)
    }

    init(item: UploadItem, options: ProtocolOptions, catalog: [ProtocolCatalog.Entry]) {
        self.item = item
        self.options = options
        self.catalog = catalog
    }

    public static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)? {
        AutoCheck(url: url, options: options)
    }

    public mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
        if let resource, let choice = resource.choice {
            return speak(choice, resource: resource.unstamped, capabilities: capabilities)
        }
        if let choice = ProtocolChoice.named(by: item.url) { return begin(choice, capabilities) }
        if let choice = capabilities?.choice { return begin(choice, capabilities) }
        phase = .asking
        return .send(AutoProbe.exchange(at: UploadAddress.filled(item.url, with: item.name)))
    }

    public mutating func receive(_ reply: ExchangeOutcome, to exchange: Exchange) -> Step {
        switch phase {
        case .asking:
            do throws(UploadFailure) {
                return begin(
                    try AutoProbe.choice(
                        reply, at: item.url, isGivenAddress: options.isGivenAddress, in: catalog), nil)
            } catch {
                return .failed(error)
            }
        case .speaking(var spoken, let choice):
            var exchange = exchange
            exchange.markBeforeLastBytes = exchange.markBeforeLastBytes?.unstamped
            let step = spoken.receive(reply, to: exchange)
            phase = .speaking(spoken, choice)
            return step.stamped(choice)
        }
    }

    public func removal(of resource: UploadResource) -> [Exchange] {
        guard let choice = resource.choice, let entry = AutoProbe.entry(choice.name, in: catalog) else {
            return []
        }
        return entry.make(item, options).removal(of: resource.unstamped)
    }

    private mutating func begin(_ choice: ProtocolChoice, _ known: ServerCapabilities?) -> Step {
        let step = speak(choice, resource: nil, capabilities: known)
        guard known?.choice != choice, case .speaking = phase else { return step }
        var found = known ?? ServerCapabilities()
        found.facts = choice.added(to: found.facts)
        return step.noting([.capabilities(found)])
    }

    private mutating func speak(
        _ choice: ProtocolChoice, resource: UploadResource?, capabilities: ServerCapabilities?
    ) -> Step {
        do throws(UploadFailure) {
            let (entry, options) = try AutoProbe.use(choice, options, catalog)
            var spoken = entry.make(item, options)
            let step = spoken.start(resource: resource, capabilities: capabilities?.learnt(by: choice.name))
            phase = .speaking(spoken, choice)
            return step.stamped(choice)
        } catch {
            // Drops the stored choice: a later attempt may find another protocol, or a newer build may have this one.
            return .failed(error, notes: capabilities?.choice == nil ? [] : [.capabilities(.init())])
        }
    }
}

/// The `OPTIONS` request of `AutoUpload` and `AutoCheck`, and the choice of the protocol from its response.
enum AutoProbe {
    private static let silenceHint = "if the server never answers OPTIONS, set protocol, such as tus or put"

    static func exchange(at url: String) -> Exchange {
        Exchange(.options, url, fields: [.tusResumable: "1.0.0"])
    }

    static func choice(
        _ reply: ExchangeOutcome, at url: String, isGivenAddress: Bool, in catalog: [ProtocolCatalog.Entry]
    ) throws(UploadFailure) -> ProtocolChoice {
        guard case .responded(let response) = reply else {
            var failure = reply.failure
            if case .broken(_, .some) = reply { failure.hint = failure.hint ?? silenceHint }
            throw failure
        }
        var failure = ResponseClassifier.failure(response)
        let mayBeFile = isGivenAddress && !UploadAddress.tellsNamesApart(url)
        if mayBeFile, failure.category != .authentication, ![429, 503].contains(response.status) {
            return try ProtocolChoice.named(by: response, at: url, isGivenAddress: true)
        }
        if failure.category == .authentication || (300..<400).contains(response.status) { throw failure }
        if failure.isTransient {
            failure.hint = failure.hint ?? silenceHint
            throw failure
        }
        let choice = try ProtocolChoice.named(by: response, at: url)
        // If this build lacks `webdav`, `put` is used: a WebDAV folder accepts PUT, too (RFC 4918 §9.7).
        if choice.name == "webdav", entry(choice.name, in: catalog) == nil, UploadAddress.tellsNamesApart(url)
        {
            return ProtocolChoice("put", because: "\(choice.because), which takes PUT")
        }
        return choice
    }

    static func entry(_ name: String, in catalog: [ProtocolCatalog.Entry]) -> ProtocolCatalog.Entry? {
        name == AutoUpload.name ? nil : catalog.first { $0.name == name }
    }

    /// Returns the catalog entry of the chosen protocol, and the options for it, without `parallelRequests` if it sends
    /// only one request at a time.
    ///
    /// - Throws: `UploadFailure` if the catalog lacks the protocol, or if the protocol does not support the options.
    static func use(
        _ choice: ProtocolChoice, _ options: ProtocolOptions, _ catalog: [ProtocolCatalog.Entry]
    ) throws(UploadFailure) -> (ProtocolCatalog.Entry, ProtocolOptions) {
        guard let entry = entry(choice.name, in: catalog) else {
            let names = catalog.map(\.name).filter { $0 != AutoUpload.name }
            throw UploadFailure(
                .permanent,
                "this address wants \(choice.name), because \(choice.because), and this build does not have it",
                hint: "set protocol to another one that the server takes: \(names.joined(separator: ", "))")
        }
        var options = options
        if !entry.traits.isParallel { options.parallelRequests = nil }
        guard var failure = entry.refusal(of: options) else { return (entry, options) }
        failure.summary += " (auto chose it, because \(choice.because))"
        throw failure
    }
}

extension Step {
    /// Returns the step with the choice of the protocol added to its upload resources, capabilities and receipt. If the
    /// server refused the URL, the method or the content, the stored capabilities are cleared as out of date.
    fileprivate func stamped(_ choice: ProtocolChoice) -> Step {
        let notes = notes.map { note in
            switch note {
            case .resource(let resource): Note.resource(resource?.stamped(choice))
            case .capabilities(let found): Note.capabilities(found.stamped(choice))
            case .serverLost: note
            }
        }
        switch self {
        case .send(let exchange, _): return .send(exchange.stamped(choice), notes: notes)
        case .sendAll(let exchanges, _): return .sendAll(exchanges.map { $0.stamped(choice) }, notes: notes)
        case .wait: return .wait(notes: notes)
        case .done(var receipt, _):
            receipt.chosen = choice.name
            return .done(receipt, notes: notes)
        case .failed(let failure, _):
            let isOutdated =
                failure.category == .permanent
                && [400, 404, 405, 410, 411, 412, 415, 501].contains(failure.status)
            return .failed(failure, notes: notes + (isOutdated ? [.capabilities(ServerCapabilities())] : []))
        }
    }
}

extension Exchange {
    fileprivate func stamped(_ choice: ProtocolChoice) -> Exchange {
        var exchange = self
        exchange.markBeforeLastBytes = markBeforeLastBytes?.stamped(choice)
        return exchange
    }
}

extension UploadResource {
    /// Returns the resource with the chosen protocol and the reason for the choice added to `memory`.
    func stamped(_ choice: ProtocolChoice) -> UploadResource {
        var resource = self
        resource.memory.members = choice.added(to: memory.members)
        return resource
    }

    fileprivate var unstamped: UploadResource {
        var resource = self
        resource.memory[ProtocolChoice.nameKey] = nil
        resource.memory[ProtocolChoice.reasonKey] = nil
        return resource
    }
}

extension ServerCapabilities {
    /// The key in `facts` for the name of the protocol that recorded capabilities besides the choice of `auto`.
    private static let learntKey = "learnt"

    /// Returns the capabilities with the choice of `auto`, and the mark that the chosen protocol recorded them.
    func stamped(_ choice: ProtocolChoice) -> ServerCapabilities {
        var found = self
        found.facts = choice.added(to: facts)
        found.facts[Self.learntKey] = choice.name
        return found
    }

    /// Returns the capabilities that the protocol `name` recorded, without the facts of `stamped(_:)`; nil if none.
    fileprivate func learnt(by name: String) -> ServerCapabilities? {
        guard facts[Self.learntKey] == name else { return nil }
        var found = self
        for key in [ProtocolChoice.nameKey, ProtocolChoice.reasonKey, Self.learntKey] {
            found.facts[key] = nil
        }
        return found
    }
}
