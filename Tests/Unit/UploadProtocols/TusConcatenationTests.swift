import HTTPTypes
import Testing

@testable import FerryProtocols

/// Tests files that are sent as several concurrent partial uploads (tus 1.0.0, Concatenation).
struct TusConcatenationTests {
    private static let part = TusConcatenation.smallestPart
    private static let size = 3 * part + 1
    private static let three = ProtocolOptions(parallelRequests: 3)

    private func upload(_ options: ProtocolOptions = Self.three, size: ByteCount = Self.size) -> TusUpload {
        TusUpload(item: .make(size: size), options: options)
    }

    /// Returns an upload whose three partial uploads exist and are being appended to.
    private func filling(
        _ options: ProtocolOptions = Self.three, at server: ServerCapabilities = .tusJoining
    ) throws -> (tus: TusUpload, exchanges: [Exchange], noted: UploadResource) {
        var tus = upload(options)
        var step = tus.start(resource: nil, capabilities: server)
        var noted: UploadResource?
        for name in ["a", "b", "c"] {
            let exchange = try #require(step.exchange)
            step = tus.receive(.answer(201, [.location: name]), to: exchange)
            noted = step.notedResource ?? noted
        }
        return (tus, step.exchanges, try #require(noted))
    }

    /// Returns an upload whose partial uploads are complete, and the final request that concatenates them.
    private func joining() throws -> (tus: TusUpload, final: Exchange, parts: [Exchange]) {
        var (tus, exchanges, _) = try filling()
        var step = Step.wait()
        for exchange in exchanges {
            step = tus.receive(.answer(204, [.uploadOffset: "\(exchange.contentLength)"]), to: exchange)
        }
        return (tus, try #require(step.exchange), exchanges)
    }

    @Test(arguments: [
        (1, ByteCount(1) << 30, 1), (4, 2 * part - 1, 1), (4, 2 * part, 2), (4, 1 << 30, 4), (64, 1 << 40, 8),
    ])
    func `a file is parted when that is wanted and worth it`(wanted: Int, size: ByteCount, parts: Int) throws
    {
        var tus = upload(.init(parallelRequests: wanted), size: size)
        let step = tus.start(resource: nil, capabilities: .tusJoining)
        let concat = try #require(step.exchange).fields[.uploadConcat]
        #expect(concat == (parts > 1 ? "partial" : nil))
        guard parts > 1 else { return }
        let noted = tus.receive(.answer(201, [.location: "a"]), to: try #require(step.exchange)).notedResource
        #expect((noted ?? nil)?.parts == .init(stored: 0, planned: parts))
    }

    @Test func `a server that does not offer it gets the file as one`() {
        var tus = upload()
        let exchange = tus.start(resource: nil, capabilities: .tusCore).exchange
        #expect(exchange?.fields[.uploadConcat] == nil)
        #expect(exchange?.fields[.uploadLength] == "\(Self.size)")
    }

    @Test func `each partial is noted, with an address that is new, before any byte goes to one`() throws {
        var tus = upload()
        var step = tus.start(resource: nil, capabilities: .tusJoining)
        var addresses: [String] = []
        for name in ["a", "b", "c"] {
            let exchange = try #require(step.exchange)
            #expect(exchange.body == .none)
            step = tus.receive(.answer(201, [.location: name]), to: exchange)
            addresses.append(try #require(step.notedResource ?? nil).url)
        }
        #expect(addresses == ["a", "b", "c"].map { "http://server.example/files/\($0)" })
        #expect(step.exchanges.map(\.method) == [.patch, .patch, .patch])
    }

    @Test func `the parts are the file, each at its own offset, and none alone may complete it`() throws {
        let (_, exchanges, _) = try filling()
        let part = Self.size / 3
        #expect(
            exchanges.map(\.body) == [
                .file(range: 0..<part), .file(range: part..<2 * part), .file(range: 2 * part..<Self.size),
            ])
        #expect(exchanges.map { $0.fields[.uploadOffset] } == ["0", "0", "0"])
        #expect(exchanges.map(\.part) == [1, 2, 3])
        #expect(exchanges.allSatisfy { !$0.traits.contains(.completes) && $0.markBeforeLastBytes == nil })
    }

    @Test func `the confirmed bytes of all parts are added up`() throws {
        var (tus, exchanges, _) = try filling(.init(chunkSize: 1000, parallelRequests: 3))
        _ = tus.receive(.answer(204, [.uploadOffset: "1000"]), to: exchanges[0])
        let step = tus.receive(.answer(204, [.uploadOffset: "500"]), to: exchanges[2])
        #expect((step.notedResource ?? nil)?.confirmed == 1500)
        #expect(step.exchange?.part == 3)
        #expect(step.exchange?.fields[.uploadOffset] == "500")
    }

    @Test func `a part that is full waits for the others, and then they are put together in order`() throws {
        var (tus, exchanges, _) = try filling()
        var step = Step.wait()
        for exchange in exchanges.reversed() {
            step = tus.receive(.answer(204, [.uploadOffset: "\(exchange.contentLength)"]), to: exchange)
            let held = (step.notedResource ?? nil)?.parts?.stored
            #expect(held == 4 - exchange.part)
        }
        let final = try #require(step.exchange)
        let place = "http://server.example/files/"
        #expect(final.fields[.uploadConcat] == "final;\(place)a \(place)b \(place)c")
        #expect(final.fields[.uploadLength] == nil)
        #expect(final.fields[.uploadMetadata] != nil)
        #expect(final.traits.contains(.completes))
        #expect(final.markBeforeLastBytes?.wholeBodySent == true)
        let question = try #require(tus.receive(.answer(201, [.location: "whole"]), to: final).exchange)
        #expect(question.method == .head && question.url == place + "whole")
        let receipt = tus.receive(.answer(200, [.uploadOffset: "\(Self.size)"]), to: question).receipt
        #expect(receipt == Receipt(location: place + "whole", bytes: Self.size))
    }

    @Test func `an attempt that finds partials asks them all and resumes at each one's offset`() throws {
        let noted = try filling().noted
        var tus = upload()
        let questions = tus.start(resource: noted, capabilities: nil).exchanges
        #expect(questions.map(\.method) == [.head, .head, .head])
        let part = Self.size / 3
        let first = tus.receive(
            .answer(200, [.uploadOffset: "7", .uploadLength: "\(part)"]), to: questions[0])
        // The server may have bytes of the other partial uploads, too.
        #expect(first.exchange?.body == .file(range: 7..<part))
        // The counts of an earlier attempt are not a response of the server, so they are not recorded as confirmed.
        #expect(first.notedResource == nil)
        _ = tus.receive(.answer(200, [.uploadOffset: "0", .uploadLength: "\(part)"]), to: questions[1])
        let last = tus.receive(
            .answer(200, [.uploadOffset: "5", .uploadLength: "\(part + 1)"]), to: questions[2])
        #expect((last.notedResource ?? nil)?.confirmed == 12)
    }

    @Test func `an attempt that finds some partials makes the others first`() throws {
        var tus = upload()
        var step = tus.start(resource: nil, capabilities: .tusJoining)
        step = tus.receive(.answer(201, [.location: "a"]), to: try #require(step.exchange))
        let noted = try #require(step.notedResource ?? nil)
        var other = upload()
        step = other.start(resource: noted, capabilities: nil)
        for name in ["b", "c"] {
            let exchange = try #require(step.exchange)
            #expect(exchange.fields[.uploadConcat] == "partial")
            step = other.receive(.answer(201, [.location: name]), to: exchange)
        }
        #expect(step.exchanges.count == 3)
    }

    @Test func `a partial that is gone is made anew, and the others continue`() throws {
        let noted = try filling().noted
        var tus = upload()
        let questions = tus.start(resource: noted, capabilities: nil).exchanges
        let step = tus.receive(.answer(404), to: questions[1])
        let creation = try #require(step.exchange)
        #expect(creation.fields[.uploadConcat] == "partial")
        let append = tus.receive(.answer(201, [.location: "d"]), to: creation)
        #expect(append.exchange?.url == "http://server.example/files/d")
        #expect((append.notedResource ?? nil)?.url == "http://server.example/files/d")
        #expect(append.exchange?.part == 2)
    }

    @Test func `P8 partials that keep going away end in a failure`() throws {
        let noted = try filling().noted
        var tus = upload()
        let question = try #require(tus.start(resource: noted, capabilities: nil).exchanges.first)
        var step = tus.receive(.answer(404), to: question)
        for _ in 0..<10 where step.failure == nil {
            step = tus.receive(.answer(201, [.location: "d"]), to: try #require(step.exchange))
            step = tus.receive(.answer(404), to: try #require(step.exchange))
        }
        #expect(step.failure?.category == .permanent)
    }

    @Test func `a part that breaks ends the attempt, and nothing is forgotten`() throws {
        var (tus, exchanges, noted) = try filling()
        let step = tus.receive(.broke(afterSending: 9), to: exchanges[1])
        #expect(step.failure?.category == .network)
        let left = (step.notedResource ?? noted) ?? noted
        #expect(TusConcatenation.urls(in: left).count == 3)
    }

    @Test func `a lost response to the last request is an unknown outcome, also for the next attempt`() throws
    {
        var (tus, final, _) = try joining()
        #expect(tus.receive(.broke(afterSending: 0), to: final).failure?.category == .outcomeUnknown)
        var other = upload()
        let failure = other.start(resource: final.markBeforeLastBytes, capabilities: nil).failure
        #expect(failure?.category == .outcomeUnknown)
    }

    @Test(arguments: [502, 504])
    func `a proxy's word on the last request is an unknown outcome`(status: Int) throws {
        var (tus, final, _) = try joining()
        #expect(tus.receive(.answer(status), to: final).failure?.category == .outcomeUnknown)
    }

    @Test func `a last request that never left is made again`() throws {
        var (tus, final, _) = try joining()
        #expect(tus.receive(.broke(afterSending: nil), to: final).failure?.category == .network)
    }

    @Test func `a server in trouble with the last request has not put anything together`() throws {
        var (tus, final, _) = try joining()
        let step = tus.receive(.answer(503), to: final)
        #expect(step.failure?.category == .server)
        #expect((step.notedResource ?? nil)?.wholeBodySent == false)
    }

    @Test
    func `a server that refuses to put the parts together is asked once more, then gets the file as one`()
        throws
    {
        var (tus, final, parts) = try joining()
        var step = tus.receive(.answer(400), to: final)
        #expect(step.exchanges.map(\.method) == [.head, .head, .head])
        for (question, part) in zip(step.exchanges, parts) {
            let length = "\(part.contentLength)"
            step = tus.receive(.answer(200, [.uploadOffset: length, .uploadLength: length]), to: question)
        }
        step = tus.receive(.answer(400), to: try #require(step.exchange))
        #expect(step.exchanges.map(\.method) == [.delete, .delete, .delete])
        #expect(step.notes.contains(.capabilities(.tusCore)))
        #expect(step.notes.contains(.resource(nil)))
        for deletion in step.exchanges { step = tus.receive(.answer(204), to: deletion) }
        let creation = try #require(step.exchange)
        #expect(creation.fields[.uploadConcat] == nil)
        #expect(creation.fields[.uploadLength] == "\(Self.size)")
    }

    @Test func `removal deletes every partial`() throws {
        let exchanges = upload().removal(of: try filling().noted)
        #expect(exchanges.map(\.method) == [.delete, .delete, .delete])
        #expect(Set(exchanges.map(\.url)).count == 3)
    }

    @Test func `parts are checked like any upload, and all of them make it verified`() throws {
        var server = ServerCapabilities.tusChecking
        server.extensions.insert("concatenation")
        let options = ProtocolOptions(chunkSize: Self.size, parallelRequests: 3, checksum: .sha1)
        var (tus, exchanges, _) = try filling(options, at: server)
        var step = Step.wait()
        for exchange in exchanges {
            #expect(exchange.digests.first?.algorithm == .sha1)
            step = tus.receive(.answer(204, [.uploadOffset: "\(exchange.contentLength)"]), to: exchange)
        }
        step = tus.receive(.answer(201, [.location: "w"]), to: try #require(step.exchange))
        let question = try #require(step.exchange)
        #expect(tus.receive(.answer(404), to: question).receipt?.verified == .sha1)
    }
}
