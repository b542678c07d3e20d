import HTTPTypes
import Testing

@testable import FerryProtocols

private let tusFields: HTTPFields = [.tusVersion: "1.0.0", .tusExtension: "creation"]
private let tus = ProtocolChoice("tus", because: "the server says Tus-Version 1.0.0")
private let probe = Exchange(.options, "http://server.example/files/")

extension AutoUpload {
    fileprivate static func make(
        _ item: UploadItem = .make(), _ options: ProtocolOptions = .init(),
        catalog: [ProtocolCatalog.Entry] = ProtocolCatalog.entries
    ) -> AutoUpload { AutoUpload(item: item, options: options, catalog: catalog) }

    /// Starts an upload to an unknown server, and passes it this response to `OPTIONS`.
    fileprivate mutating func start(_ answer: ExchangeOutcome) -> Step {
        guard let asked = start(resource: nil, capabilities: nil).exchange else { return .wait() }
        return receive(answer, to: asked)
    }
}

struct AutoUploadTests {
    @Test func `an unknown server is asked by OPTIONS and nothing else`() throws {
        var auto = AutoUpload.make()
        let asked = try #require(auto.start(resource: nil, capabilities: nil).exchange)
        #expect(asked.method == .options)
        #expect(asked.fields[.tusResumable] == "1.0.0")
        #expect(asked.body == .none)
        #expect(asked.url == "http://server.example/files/")
    }

    @Test func `a server that closes the connection at OPTIONS is named with a way out`() {
        var auto = AutoUpload.make()
        #expect(auto.start(.broke(afterSending: 0)).failure?.hint?.contains("set protocol") == true)
        var other = AutoUpload.make()
        #expect(other.start(.broke(afterSending: nil)).failure?.hint == nil)
    }

    @Test func `the choice is noted before the chosen protocol's first request`() {
        var auto = AutoUpload.make()
        let step = auto.start(.answer(204, tusFields))
        #expect(step.notes == [.capabilities(ServerCapabilities(facts: tus.added(to: [:])))])
        #expect(step.exchange?.method == .options)
    }

    @Test func `the chosen protocol's findings are kept with the choice, and are not asked for again`() throws
    {
        var auto = AutoUpload.make()
        _ = auto.start(.answer(204, tusFields))
        let step = auto.receive(.answer(204, tusFields), to: probe)
        guard case .capabilities(let found)? = step.notes.first else {
            return #expect(Bool(false), "\(step.notes)")
        }
        #expect(found.choice == tus)
        #expect(found.extensions == ["creation"])
        var next = AutoUpload.make()
        let first = next.start(resource: nil, capabilities: found)
        #expect(first.exchange?.method == .post)
        #expect(first.notes.isEmpty)
    }

    @Test func `a chosen protocol that has asked nothing yet asks`() {
        var auto = AutoUpload.make()
        let known = ServerCapabilities(facts: tus.added(to: [:]))
        #expect(auto.start(resource: nil, capabilities: known).exchange?.method == .options)
    }

    @Test func `the resource and the mark before the last bytes say the protocol`() throws {
        var auto = AutoUpload.make()
        _ = auto.start(.answer(204, tusFields))
        _ = auto.receive(.answer(204, tusFields), to: probe)
        let step = auto.receive(.answer(201, [.location: "/files/7"]), to: probe)
        #expect(step.notedResource??.choice == tus)
        #expect(step.exchange?.markBeforeLastBytes?.choice == tus)
        #expect(step.exchange?.markBeforeLastBytes?.wholeBodySent == true)
    }

    @Test func `a resource is resumed by the protocol that made it, whatever is known of the server`() throws
    {
        var auto = AutoUpload.make()
        var resource = UploadResource(url: "http://server.example/files/7", confirmed: 3)
        resource.memory = ResumeMemory(tus.added(to: ["tag": "x"]))
        let other = ServerCapabilities(facts: ProtocolChoice("put", because: "x").added(to: [:]))
        let step = auto.start(resource: resource, capabilities: other)
        #expect(step.exchange?.method == .head)
        let next = auto.receive(.answer(200, [.uploadOffset: "3"]), to: try #require(step.exchange))
        #expect(next.exchange?.body == .file(range: 3..<10))
        #expect(next.notedResource??.memory == resource.memory)
    }

    @Test func `data at a server is removed by the protocol that made it`() {
        var resource = UploadResource(url: "http://server.example/files/7")
        #expect(AutoUpload.make().removal(of: resource).isEmpty)
        resource.memory = ResumeMemory(tus.added(to: [:]))
        #expect(AutoUpload.make().removal(of: resource).map(\.method) == [.delete])
    }

    @Test func `a folder that says nothing gets the whole file by PUT, and the receipt says so`() throws {
        var auto = AutoUpload.make()
        let step = auto.start(.answer(501))
        let put = try #require(step.exchange)
        #expect(put.method == .put)
        #expect(put.url == "http://server.example/files/a.bin")
        #expect(auto.receive(.answer(201), to: put).receipt?.chosen == "put")
    }

    @Test(arguments: [(401, UploadFailure.Category.authentication), (503, .server), (308, .permanent)])
    func `a response that says not so fails the attempt and chooses nothing`(
        status: Int, category: UploadFailure.Category
    ) {
        var auto = AutoUpload.make()
        let step = auto.start(.answer(status))
        #expect(step.failure?.category == category)
        #expect(step.notes.isEmpty)
    }

    @Test func `a link that breaks while it is asked is a failure of the network`() {
        var auto = AutoUpload.make()
        #expect(auto.start(.broke(afterSending: 0)).failure?.category == .network)
    }

    @Test func `a protocol that this build does not have is named with the reason`() {
        var auto = AutoUpload.make(catalog: [])
        let failure = auto.start(.answer(204, tusFields)).failure
        #expect(
            failure?.summary == "this address wants tus, because the server says Tus-Version 1.0.0, "
                + "and this build does not have it")
    }

    @Test(arguments: [("http://server.example/in/", "put"), ("http://server.example/in/a", nil)])
    func `a folder of WebDAV takes PUT where there is no WebDAV in the build`(url: String, name: String?) {
        let catalog = ProtocolCatalog.entries.filter { $0.name != "webdav" }
        var auto = AutoUpload.make(.make(url: url), catalog: catalog)
        let step = auto.start(.answer(200, [.named("DAV"): "1"]))
        #expect(step.exchange?.method == name.map { _ in .put })
        #expect((step.failure == nil) == (name != nil))
    }

    @Test func `a choice that is known and cannot be used is forgotten`() {
        var auto = AutoUpload.make(catalog: [])
        let step = auto.start(resource: nil, capabilities: ServerCapabilities(facts: tus.added(to: [:])))
        #expect(step.notes == [.capabilities(ServerCapabilities())])
    }

    @Test(arguments: [
        (ProtocolOptions(checksum: .crc64nvme), "CRC-64/NVME"), (ProtocolOptions(existing: .skip), "skip"),
    ])
    func `an option that the chosen protocol lacks is refused before a byte is sent`(
        options: ProtocolOptions, named: String
    ) {
        var auto = AutoUpload.make(.make(), options)
        let step = auto.start(.answer(204, [.tusVersion: "1.0.0"]))
        #expect(step.failure?.category == .permanent)
        #expect(step.failure?.summary.contains(named) == true)
        #expect(step.failure?.hint != nil)
    }

    @Test func `several requests at once are a wish, not a demand`() {
        var auto = AutoUpload.make(.make(), .init(parallelRequests: 4))
        #expect(auto.start(.answer(404)).exchange?.method == .put)
    }

    @Test(arguments: [(404, true), (405, true), (501, true), (403, false), (413, false), (500, false)])
    func `P17 a choice is forgotten when the server has no such thing any more`(
        status: Int, isForgotten: Bool
    ) throws {
        var auto = AutoUpload.make()
        let known = ServerCapabilities(facts: ProtocolChoice("put", because: "x").added(to: [:]))
        let put = try #require(auto.start(resource: nil, capabilities: known).exchange)
        let step = auto.receive(.answer(status), to: put)
        #expect(step.failure?.status == status)
        // The refusal also clears the mark of a possibly sent body.
        #expect(step.notes == [.resource(nil)] + (isForgotten ? [.capabilities(ServerCapabilities())] : []))
    }

    @Test func `several exchanges at once come through as they are, each with its stamp`() {
        let catalog = [ProtocolCatalog.Entry(PartsProtocol<Never>.self)]
        var auto = AutoUpload.make(.make(url: "s3://bucket/"), catalog: [])
        #expect(auto.start(resource: nil, capabilities: nil).failure != nil)
        auto = AutoUpload.make(.make(url: "s3://bucket/"), catalog: catalog)
        guard case .sendAll(let exchanges, let notes) = auto.start(resource: nil, capabilities: nil) else {
            return #expect(Bool(false))
        }
        #expect(exchanges.map(\.part) == [1, 2])
        #expect(notes.count == 2)
    }
}

struct AutoCheckTests {
    @Test func `a check asks anew and says what was chosen`() throws {
        var check = AutoCheck(url: "http://server.example/files/", options: .init())
        guard case .send(let asked) = check.start() else { return #expect(Bool(false)) }
        #expect(asked.method == .options)
        // The check of `put` makes two requests.
        for _ in 0..<2 { _ = check.receive(.answer(404)) }
        guard case .finished(let report) = check.receive(.answer(404)) else { return #expect(Bool(false)) }
        #expect(report.capabilities?.choice?.name == "put")
    }

    @Test func `the chosen protocol's check follows, and what it left can be removed by auto`() throws {
        let catalog = [ProtocolCatalog.Entry(PartsProtocol<PartsCheck>.self)]
        var check = AutoCheck(url: "s3://bucket/", options: .init(), catalog: catalog)
        guard case .send(let asked) = check.start() else { return #expect(Bool(false)) }
        #expect(asked.method == .get)
        guard case .finished(let report) = check.receive(.answer(200)) else { return #expect(Bool(false)) }
        #expect(report.findings == ["there are parts"])
        #expect(report.leftovers.first?.resource.choice?.name == "s3")
    }

    @Test func `the check of an address that names its protocol asks whether the server responds`() {
        let catalog = [ProtocolCatalog.Entry(PartsProtocol<Never>.self)]
        var check = AutoCheck(url: "s3://bucket/", options: .init(), catalog: catalog)
        guard case .send(let asked) = check.start() else { return #expect(Bool(false)) }
        #expect(asked.method == .options)
        guard case .finished(let report) = check.receive(.answer(403)) else { return #expect(Bool(false)) }
        #expect(report.findings == ["the server answers", "that it takes files was not tried"])
        #expect(report.capabilities?.choice?.name == "s3")
    }

    @Test func `a plain check says what the server allows, made harmless`() {
        var check = PlainCheck(url: "http://server.example/{name}")
        guard case .send(let asked) = check.start() else { return #expect(Bool(false)) }
        #expect(asked.url == "http://server.example/ferry-check")
        guard case .finished(let report) = check.receive(.answer(200, [.allow: "PUT,\tGET"])) else {
            return #expect(Bool(false))
        }
        #expect(
            report.findings == [
                "the server answers, and allows PUT, GET", "that it takes files was not tried",
            ])
    }

    @Test(arguments: [(401, UploadFailure.Category.authentication), (502, .server)])
    func `a check that fails says why`(status: Int, category: UploadFailure.Category) {
        var check = AutoCheck(url: "http://server.example/files/", options: .init())
        _ = check.start()
        guard case .failed(let failure) = check.receive(.answer(status)) else {
            return #expect(Bool(false))
        }
        #expect(failure.category == category)
    }
}

struct ProtocolLimitTests {
    private static let entry = ProtocolCatalog.Entry(PartsProtocol<Never>.self)

    @Test func `a protocol that can do what is asked refuses nothing`() {
        let options = ProtocolOptions(parallelRequests: 8, checksum: .md5, existing: .replace)
        #expect(Self.entry.refusal(of: options) == nil)
    }

    @Test func `a refusal names the other choice that helps`() {
        #expect(Self.entry.refusal(of: .init(checksum: .sha256))?.hint == "set checksum to md5")
        let failure = Self.entry.refusal(of: .init(existing: .skip))
        #expect(failure?.summary == "the protocol s3 cannot skip what is there")
        #expect(failure?.hint == "set ifExists to replace or fail")
    }

    @Test func `one request at a time is said`() {
        let put = ProtocolCatalog.entry(named: "put")
        #expect(put?.refusal(of: .init(parallelRequests: 2)) != nil)
        #expect(put?.refusal(of: .init(parallelRequests: 1)) == nil)
    }
}

/// A protocol with parts. It has a check if `Check` is `PartsCheck`.
private struct PartsProtocol<Check>: UploadProtocol {
    static var name: String { "s3" }
    static var traits: ProtocolTraits {
        ProtocolTraits(resumes: true, isParallel: true, checksums: [.md5], existing: [.replace, .fail])
    }

    init(item: UploadItem, options: ProtocolOptions) {}

    static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)? {
        Check.self == PartsCheck.self ? PartsCheck() : nil
    }

    mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
        let exchanges = [1, 2].map { part in
            var exchange = Exchange(.put, "http://server.example/\(part)")
            exchange.part = part
            return exchange
        }
        return .sendAll(exchanges, notes: [.resource(UploadResource(url: "id"))])
    }
    mutating func receive(_ reply: ExchangeOutcome, to exchange: Exchange) -> Step { .wait() }
    func removal(of resource: UploadResource) -> [Exchange] { [] }
}

private struct PartsCheck: DestinationCheck {
    mutating func start() -> CheckStep {
        .send(Exchange(.get, "http://server.example/?uploads"))
    }
    mutating func receive(_ reply: ExchangeOutcome) -> CheckStep {
        .finished(
            CheckReport(
                findings: ["there are parts"],
                leftovers: [.init(name: "a.bin", resource: UploadResource(url: "id"))]))
    }
}
