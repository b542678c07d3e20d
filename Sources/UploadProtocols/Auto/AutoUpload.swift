import HTTPTypes

/// Finds out once by which protocol an address is spoken to, then is that protocol.
///
/// What tells it is the address itself or the answer to `OPTIONS` (RFC 9110 §9.3.7), never an upload. The choice is
/// kept with the server's capabilities, and stamped on the resource so that a resume speaks the same.
public struct AutoUpload: UploadProtocol {
    public static let name = "auto"
    /// The traits of all protocols together. What the chosen protocol lacks is refused once it is chosen, before the
    /// first byte. A resource exists only if the chosen protocol resumes.
    public static let traits = ProtocolTraits(
        resumes: true, isParallel: true, answersInPages: true, checksums: Set(DigestAlgorithm.allCases),
        existing: Set(ExistingFilePolicy.allCases))

    private enum Phase: Sendable {
        case asking
        case speaking(any UploadProtocol, ProtocolChoice)
    }

    private let item: UploadItem
    private let options: ProtocolOptions
    private let catalog: [ProtocolCatalog.Entry]
    private var phase = Phase.asking

    /// - Parameter options: For the chosen protocol. `parallelRequests` is the most of it, and no reason to refuse one
    ///   that makes one request at a time.
    public init(item: UploadItem, options: ProtocolOptions) {
        self.init(item: item, options: options, catalog: ProtocolCatalog.entries)
    }

    /// - Parameter catalog: The protocols that can be chosen.
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
        if let choice = ProtocolChoice.told(by: item.url) { return begin(choice, capabilities) }
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
            // The next attempt may find another protocol there, or this one in a newer build.
            return .failed(error, notes: capabilities?.choice == nil ? [] : [.capabilities(.init())])
        }
    }
}

/// The common part of an upload and of a check whose protocol is not known yet.
enum AutoProbe {
    static func exchange(at url: String) -> Exchange {
        Exchange(.options, url, fields: [.tusResumable: "1.0.0"])
    }

    static func choice(
        _ reply: ExchangeOutcome, at url: String, isGivenAddress: Bool, in catalog: [ProtocolCatalog.Entry]
    ) throws(UploadFailure) -> ProtocolChoice {
        guard case .answered(let answer) = reply else { throw reply.failure }
        var failure = ResponseClassifier.failure(answer)
        let mayBeFile = isGivenAddress && !UploadAddress.tellsNamesApart(url)
        if mayBeFile, failure.category != .authentication, ![429, 503].contains(answer.status) {
            return try ProtocolChoice.told(by: answer, at: url, isGivenAddress: true)
        }
        if failure.category == .authentication || (300..<400).contains(answer.status) { throw failure }
        if failure.isTransient {
            failure.hint = failure.hint ?? "if the server never answers OPTIONS, set protocol"
            throw failure
        }
        let choice = try ProtocolChoice.told(by: answer, at: url)
        // A folder of WebDAV takes PUT as any other does (RFC 4918 §9.7).
        if choice.name == "webdav", entry(choice.name, in: catalog) == nil, UploadAddress.tellsNamesApart(url)
        {
            return ProtocolChoice("put", because: "\(choice.because), which takes PUT")
        }
        return choice
    }

    static func entry(_ name: String, in catalog: [ProtocolCatalog.Entry]) -> ProtocolCatalog.Entry? {
        name == AutoUpload.name ? nil : catalog.first { $0.name == name }
    }

    /// The chosen protocol, with as much of `options` as are limits and not demands.
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
    /// The step of a chosen protocol, with the choice on all that is kept.
    fileprivate func stamped(_ choice: ProtocolChoice) -> Step {
        switch self {
        case .send(let exchange, let notes):
            .send(exchange.stamped(choice), notes: notes.stamped(choice))
        case .sendAll(let exchanges, let notes):
            .sendAll(exchanges.map { $0.stamped(choice) }, notes: notes.stamped(choice))
        case .wait(let notes): .wait(notes: notes.stamped(choice))
        case .done(var receipt, let notes):
            {
                receipt.chosen = choice.name
                return .done(receipt, notes: notes.stamped(choice))
            }()
        case .failed(let failure, let notes):
            // "There is no such thing here": what was known of the server may be out of date.
            .failed(
                failure,
                notes: notes.stamped(choice)
                    + (failure.saysNoSuchThing ? [.capabilities(ServerCapabilities())] : []))
        }
    }
}

extension [Step.Note] {
    fileprivate func stamped(_ choice: ProtocolChoice) -> [Step.Note] {
        map { note in
            switch note {
            case .resource(let resource): .resource(resource?.stamped(choice))
            case .capabilities(let found): .capabilities(found.stamped(choice))
            case .serverLost: note
            }
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
    /// Adds the choice to what the chosen protocol remembers.
    func stamped(_ choice: ProtocolChoice) -> UploadResource {
        var resource = self
        resource.memory.members = choice.added(to: memory.members)
        return resource
    }

    /// The resource as the chosen protocol noted it.
    fileprivate var unstamped: UploadResource {
        var resource = self
        resource.memory[ProtocolChoice.nameKey] = nil
        resource.memory[ProtocolChoice.reasonKey] = nil
        return resource
    }
}

extension ServerCapabilities {
    /// Says that the chosen protocol has asked too, and not only `auto`.
    private static let learntKey = "learnt"

    /// Adds the choice to the facts that a protocol found out.
    func stamped(_ choice: ProtocolChoice) -> ServerCapabilities {
        var found = self
        found.facts = choice.added(to: facts)
        found.facts[Self.learntKey] = choice.name
        return found
    }

    /// The facts that a protocol found out itself; nil if it has not asked yet.
    fileprivate func learnt(by name: String) -> ServerCapabilities? {
        guard facts[Self.learntKey] == name else { return nil }
        var found = self
        for key in [ProtocolChoice.nameKey, ProtocolChoice.reasonKey, Self.learntKey] {
            found.facts[key] = nil
        }
        return found
    }
}

extension UploadFailure {
    fileprivate var saysNoSuchThing: Bool {
        category == .permanent && [400, 404, 405, 410, 411, 412, 415, 501].contains(status ?? 0)
    }
}
