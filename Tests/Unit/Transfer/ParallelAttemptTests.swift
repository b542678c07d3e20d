import FerryTestSupport
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Tests attempts with several concurrent exchanges.
struct ParallelAttemptTests {
    private static let url = "http://server.example/p"
    private static let ok = Result<TransportResponse, TransportError>.success(TransportResponse(status: 200))

    private static func parts(_ numbers: ClosedRange<Int>) -> [Exchange] {
        numbers.map { .part($0, ByteCount($0 - 1)..<ByteCount($0)) }
    }

    /// Returns a protocol that ends when `count` parts have a response.
    private static func whole(_ first: Step, count: Int) -> ScriptedProtocol<Set<Int>> {
        ScriptedProtocol(first, state: []) { held, _, exchange in
            held.insert(exchange.part)
            return held.count == count ? .done(Receipt(bytes: 10)) : .wait()
        }
    }

    @Test func `all exchanges of a step are under way at once`() async throws {
        let (file, log, allThere) = (try TestFile(count: 10), AttemptLog(), Gate())
        let arrived = Mutex(0)
        let parts = Self.whole(.sendAll(Self.parts(1...3)), count: 3)
        let outcome = try await log.run(parts, of: file) { _ in
            let count = arrived.withLock { count in
                count += 1
                return count
            }
            if count == 3 { allThere.open() }
            try? await allThere.wait()
            return Self.ok
        }
        #expect(outcome.receipt?.bytes == 10)
    }

    @Test func `each response comes with its exchange, whichever is first`() async throws {
        let (file, log) = (try TestFile(count: 10), AttemptLog())
        let gates = [Gate(), Gate(), Gate()]
        gates[2].open()
        let parts = ScriptedProtocol(.sendAll(Self.parts(1...3)), state: [Int]()) { order, _, exchange in
            order.append(exchange.part)
            if exchange.part > 1 {
                gates[exchange.part - 2].open()
                return .wait()
            }
            return .done(Receipt(location: order.map(String.init).joined()))
        }
        let outcome = try await log.run(parts, of: file) { request in
            for (number, gate) in gates.enumerated() where request.url == "\(Self.url)\(number + 1)" {
                try? await gate.wait()
            }
            return Self.ok
        }
        #expect(outcome.receipt?.location == "321")
    }

    @Test func `an exchange that ends makes room for the next while another continues`() async throws {
        let (file, log, thirdIsThere) = (try TestFile(count: 10), AttemptLog(), Gate())
        let parts = ScriptedProtocol(.sendAll(Self.parts(1...2)), state: 0) { held, _, exchange in
            held += 1
            if exchange.part == 2 { return .send(Self.parts(3...3)[0]) }
            return held == 3 ? .done(Receipt()) : .wait()
        }
        let outcome = try await log.run(parts, of: file) { request in
            if request.url == "\(Self.url)3" { thirdIsThere.open() }
            if request.url == "\(Self.url)1" { try? await thirdIsThere.wait() }
            return Self.ok
        }
        #expect(outcome.receipt != nil)
    }

    @Test func `notes are taken in their order before anything of the step is sent`() async throws {
        let (file, log) = (try TestFile(count: 10), AttemptLog())
        let (first, second) = (UploadResource(url: "u", confirmed: 1), UploadResource(url: "u", confirmed: 2))
        let known = ServerCapabilities(extensions: ["x"])
        let notes: [Step.Note] = [.resource(first), .capabilities(known), .resource(second)]
        let parts = Self.whole(.sendAll(Self.parts(1...2), notes: notes), count: 2)
        _ = try await log.run(parts, of: file) { _ in Self.ok }
        #expect(
            log.all.prefix(3) == [
                .recorded(first, durably: true), .learnt(known), .recorded(second, durably: false),
            ])
        #expect(log.all.count == 5)
    }

    @Test(arguments: [true, false])
    func `the end of an attempt cancels what is still under way`(fails: Bool) async throws {
        let (file, log, firstIsThere) = (try TestFile(count: 10), AttemptLog(), Gate())
        let wasCancelled = Mutex(false)
        let parts = ScriptedProtocol(.sendAll(Self.parts(1...2))) { _ in
            fails ? .failed(UploadFailure(.server, "no room")) : .done(Receipt())
        }
        let outcome = try await log.run(parts, of: file) { request in
            if request.url == "\(Self.url)2" {
                try? await firstIsThere.wait()
                return Self.ok
            }
            firstIsThere.open()
            do { try await Gate().wait() } catch {
                wasCancelled.withLock { $0 = error is CancellationError }
            }
            return .failure(TransportError(.cancelled, UploadFailure(.network, "cancelled")))
        }
        #expect(wasCancelled.withLock { $0 })
        #expect((outcome.failure?.summary == "no room") == fails)
    }

    @Test func `cancelling the attempt cancels every exchange and is reported as cancelled`() async throws {
        let (file, log, allThere) = (try TestFile(count: 10), AttemptLog(), Gate())
        let counts = Mutex((arrived: 0, cancelled: 0))
        let parts = Self.whole(.sendAll(Self.parts(1...3)), count: 3)
        let running = Task {
            try await log.run(parts, of: file) { _ in
                let count = counts.withLock { counts in
                    counts.arrived += 1
                    return counts.arrived
                }
                if count == 3 { allThere.open() }
                do { try await Gate().wait() } catch is CancellationError {
                    counts.withLock { $0.cancelled += 1 }
                } catch {}
                return .failure(TransportError(.cancelled, UploadFailure(.network, "cancelled")))
            }
        }
        try await allThere.wait()
        running.cancel()
        #expect(try await running.value.isCancelled)
        #expect(counts.withLock { $0.cancelled } == 3)
    }

    @Test func `an upload that waits for nothing is a failure`() async throws {
        let outcome = try await AttemptLog().run(
            ScriptedProtocol(.wait()) { _ in .wait() }, of: try TestFile(count: 10)
        ) { _ in Self.ok }
        #expect(outcome.failure?.category == .permanent)
    }

    @Test func `a protocol may ask for a hundred names before anything moves`() async throws {
        let head = Exchange(.head, "http://server.example/")
        let asking = ScriptedProtocol(.send(head), state: 1) { asked, _, _ in
            asked += 1
            return asked > ExistingChoice.nameLimit ? .done(Receipt()) : .send(head)
        }
        let outcome = try await AttemptLog().run(asking, of: try TestFile(count: 10)) { _ in Self.ok }
        #expect(outcome.receipt != nil, "\(String(describing: outcome.failure))")
    }

    @Test func `parts over real connections arrive, and progress adds up to the file`() async throws {
        let size: ByteCount = 4 << 20
        let file = try TestFile(count: Int(size))
        let server = try HostileServer(
            bodyLimit: 2 << 20, [HostileBehavior](repeating: .answer(200), count: 4))
        defer { server.stop() }
        let log = AttemptLog()
        let exchanges = (1...4).map { number in
            let end = ByteCount(number) << 20
            return Exchange.part(number, (end - 1 << 20)..<end, at: server.url("/p"))
        }
        let parts = ScriptedProtocol(.sendAll(exchanges), state: UploadResource(url: "u")) { resource, _, _ in
            resource.confirmed += 1 << 20
            let notes: [Step.Note] = [.resource(resource)]
            return resource.confirmed == size
                ? .done(Receipt(bytes: size), notes: notes) : .wait(notes: notes)
        }
        let outcome = try await withTransport { transport in
            let source = try file.open()
            let attempt = UploadAttempt(
                sender: RequestSender(over: transport), file: source, identity: source.identity, label: "1",
                recorder: log)
            return await attempt.run(parts, resource: nil, capabilities: nil).value
        }
        #expect(outcome.receipt != nil)
        for request in server.requests {
            let number = try #require(Int(request.target.dropFirst(2)))
            #expect(file.pattern.firstDifference(from: request.body, at: (number - 1) << 20) == nil)
        }
        #expect(log.progress.max() == size)
    }
}

struct SentBytesTests {
    @Test func `bytes of parts under way are added to the confirmed bytes`() {
        let sent = SentBytes(confirmed: 100)
        #expect(sent.record(10, of: 1) == 110)
        #expect(sent.record(5, of: 2) == 115)
        #expect(sent.record(20, of: 1) == 125)
    }

    @Test(arguments: [10, 90])
    func `a body that begins again counts once in the progress and twice in what was sent`(again: ByteCount) {
        let sent = SentBytes(confirmed: 0)
        _ = sent.record(90, of: 1, begins: true)
        #expect(sent.record(again, of: 1, begins: true) == again)
        #expect(sent.out == 90 + again)
    }

    @Test func `the bytes that the server confirms replace those that were sent`() {
        let sent = SentBytes(confirmed: 0)
        _ = sent.record(90, of: 1)
        _ = sent.record(7, of: 2)
        sent.end(1, confirmed: 80)
        #expect(sent.record(7, of: 2) == 87)
    }

    @Test func `a part that breaks while others continue stays in the count of sent bytes`() {
        let sent = SentBytes(confirmed: 0)
        _ = sent.record(90, of: 1)
        _ = sent.record(40, of: 2)
        sent.end(2, confirmed: 0)
        sent.end(1, confirmed: 90)
        #expect(sent.record(50, of: 3) == 140)
        #expect(sent.out == 180)
    }

    @Test func `bytes that the server has beyond the known ones count as sent before`() {
        let sent = SentBytes(confirmed: 10)
        sent.end(1, confirmed: 60)
        #expect(sent.out == 60)
    }

    @Test func `bytes that the server confirmed and then lost are not counted twice`() {
        let sent = SentBytes(confirmed: 0)
        _ = sent.record(90, of: 1)
        sent.end(1, confirmed: 90)
        sent.end(2, confirmed: 0)
        _ = sent.record(30, of: 3)
        #expect(sent.out == 30)
    }

    @Test func `bytes that were confirmed and then deleted leave what was sent beside them`() {
        let sent = SentBytes(confirmed: 90)
        _ = sent.record(30, of: 1)
        sent.deleteConfirmed()
        #expect(sent.out == 30)
    }
}
