import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import HTTPTypes
import Synchronization

/// Runs attempts against simulated servers. It uses the real protocols, and reports to the recorder as
/// `DestinationRunner` and `UploadAttempt` do.
final class SimulatedRunner: AttemptRunner {
    static let retryBase = 1.0

    private let world: World
    private let life: Int
    private let capabilities = Mutex<[String: ServerCapabilities]>([:])

    init(world: World, life: Int) {
        self.world = world
        self.life = life
    }

    func host(of upload: Upload) -> UploadHost {
        let name = Site(of: upload.target.url).rawValue
        return UploadHost(name: name, port: 80, isLocal: name == Site.local.rawValue)
    }

    func capabilities(at place: String) -> ServerCapabilities? { capabilities.withLock { $0[place] } }

    func keep(_ found: ServerCapabilities, at place: String) { capabilities.withLock { $0[place] = found } }

    func resumes(_ upload: Upload) -> Bool { upload.target.protocolName == "tus" }

    func run(_ upload: Upload, recorder: any AttemptRecorder) async -> Redacted<UploadAttempt.Outcome> {
        guard world.isAlive(life) else { return Redacted(.cancelled) }
        world.with { state in
            state.log.add("begin", upload.id, upload.tries.attempts) { upload.target.protocolName }
            state.watch.began(upload, now: state.now)
        }
        let outcome = await outcome(upload, recorder)
        ended(upload, outcome)
        return Redacted(outcome)
    }

    private func ended(_ upload: Upload, _ outcome: UploadAttempt.Outcome) {
        guard world.isAlive(life) else { return }
        let isCancelled = Task.isCancelled
        world.with { state in
            var failure: UploadFailure?
            switch outcome {
            case .done:
                state.log.add("done", upload.id)
                state.watch.finished.insert(upload.id)
            case .failed(let reason):
                state.log.add("failed", upload.id) { reason.summary }
                failure = reason
            case .cancelled: state.log.add("cancelled", upload.id)
            }
            state.watch.ended(
                upload.id, failure: failure, isCancelled: isCancelled, base: Self.retryBase, now: state.now,
                event: state.log.count)
        }
    }

    private func outcome(_ upload: Upload, _ recorder: any AttemptRecorder) async -> UploadAttempt.Outcome {
        let attempt = SimulatedAttempt(world: world, life: life, upload: upload, recorder: recorder)
        guard world.mutant == .senderGoesOn else { return await attempt.run(self) }
        let ending = Box<CheckedContinuation<UploadAttempt.Outcome, Never>>()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                ending.value = continuation
                _ = Task(executorPreference: world.executor) {
                    let outcome = await attempt.run(self)
                    ending.take()?.resume(returning: outcome)
                }
            }
        } onCancel: {
            ending.take()?.resume(returning: .cancelled)
        }
    }

    func discard(_ upload: Upload) async {
        guard await world.step(life), let resource = upload.resource,
            let uploadProtocol = SimulatedAttempt.uploadProtocol(for: upload)
        else { return }
        for exchange in uploadProtocol.removal(of: resource) {
            let isAlive = world.with { state in
                guard state.isLinkUp else { return true }
                let flight = state.server.begin(
                    exchange, owner: upload.id, version: upload.identity.modified, life: life)
                _ = state.server.answer(flight)
                return true
            }
            guard isAlive, await world.step(life) else { return }
        }
    }
}

/// A destination of uploads.
enum Site: String, CaseIterable {
    case first = "first.test"
    case second = "second.test"
    /// A server on this machine, which is reachable without a network.
    case local = "localhost"

    var url: String { "http://\(rawValue)/files/" }

    init(of url: String) { self = Self.allCases.first { url.hasPrefix("http://\($0.rawValue)/") } ?? .first }
}

/// One attempt. The schedule decides at each `pause` when it continues.
private struct SimulatedAttempt: Sendable {
    /// The reason why an attempt ends.
    private enum Stop: Error {
        case cancelled
        case failed(UploadFailure)
    }

    let world: World
    let life: Int
    let upload: Upload
    let recorder: any AttemptRecorder

    static func uploadProtocol(for upload: Upload) -> (any UploadProtocol)? {
        let item = UploadItem(
            url: upload.target.url, name: upload.target.name, size: upload.size, key: "simulated-\(upload.id)"
        )
        // A chunk size of about a third makes several requests for each file.
        let options = ProtocolOptions(chunkSize: max(1, upload.size / 3 + 1))
        return ProtocolCatalog.entry(named: upload.target.protocolName)?.make(item, options)
    }

    func run(_ runner: SimulatedRunner) async -> UploadAttempt.Outcome {
        guard var uploadProtocol = Self.uploadProtocol(for: upload) else { return .cancelled }
        let place = upload.target.url
        var resource = upload.resource
        do throws(Stop) {
            try await pause()
            try checkSource()
            var step = uploadProtocol.start(
                resource: resource, capabilities: runner.capabilities(at: place))
            for _ in 0..<128 {
                for note in step.notes {
                    switch note {
                    case .resource(let new):
                        try await record(new, durably: isNew(new, resource))
                        resource = new
                    case .capabilities(let found): runner.keep(found, at: place)
                    case .serverLost: break
                    }
                }
                switch step {
                case .done(let receipt, _): return .done(receipt)
                case .failed(let failure, _): return .failed(failure)
                case .send, .sendAll, .wait: break
                }
                guard let exchange = step.exchanges.first else { return .cancelled }
                let reply = try await perform(exchange, known: resource)
                if world.mutant == .doneIsEarly, exchange.method == .patch {
                    return .done(Receipt(bytes: upload.size))
                }
                step = uploadProtocol.receive(reply, to: exchange)
            }
            return .failed(UploadFailure(.server, "the server keeps asking and nothing moves"))
        } catch {
            switch error {
            case .cancelled: return .cancelled
            case .failed(let failure): return Task.isCancelled ? .cancelled : .failed(failure)
            }
        }
    }

    private func isNew(_ new: UploadResource?, _ old: UploadResource?) -> Bool {
        guard world.mutant != .addressIsLate else { return false }
        return new?.url != old?.url || new?.memory != old?.memory
    }

    private func pause() async throws(Stop) {
        guard await world.step(life), !Task.isCancelled || world.mutant == .senderGoesOn else {
            throw .cancelled
        }
    }

    private func record(_ resource: UploadResource?, durably: Bool) async throws(Stop) {
        var resource = resource
        if world.mutant == .offsetsAreExaggerated, let confirmed = resource?.confirmed, confirmed > 0 {
            resource?.confirmed = min(upload.size, confirmed + 1)
        }
        do throws(UploadFailure) {
            try await recorder.record(resource.flatMap { Redacted($0) }, durably: durably)
        } catch {
            throw .failed(error)
        }
        guard world.isAlive(life) else { throw .cancelled }
    }

    private func checkSource() throws(Stop) {
        guard world.mutant != .changesAreOverlooked else { return }
        let version = world.with { $0.versions[Int(upload.identity.inode)] }
        guard version == upload.identity.modified else {
            throw .failed(UploadFailure(.sourceChanged, "the file changed"))
        }
    }

    /// Sends a request and returns its outcome. A broken connection is an outcome.
    ///
    /// - Throws: `Stop` if the attempt is over.
    private func perform(_ exchange: Exchange, known: UploadResource?) async throws(Stop) -> ExchangeOutcome {
        try await pause()
        try checkSource()
        guard world.reaches(upload.target.url) else {
            return .broken(UploadFailure(.network, "no connection"), bodySent: nil)
        }
        var isMarked = false
        if case .file = exchange.body {} else { isMarked = try await mark(exchange) }
        checkAddress(exchange)
        let flight = world.with { state in
            state.log.add("request", upload.id, Int(exchange.contentLength)) {
                "\(exchange.method) \(exchange.url)"
            }
            return state.server.begin(
                exchange, owner: upload.id, version: servedVersion(exchange, &state), life: life)
        }
        do throws(Stop) {
            let reply = try await send(exchange, flight, isMarked: &isMarked)
            if case .broken(_, let sent) = reply, (sent ?? 0) < exchange.contentLength {
                await unmark(isMarked, leaving: known)
            }
            if case .responded(let answer) = reply { note(answer, to: exchange) }
            return reply
        } catch {
            let sent = world.with { state in
                guard state.life == life, state.isAlive else { return ByteCount.max }
                let sent = state.server.flights[flight]?.sent ?? 0
                state.server.letGo(flight, random: &state.random)
                return sent
            }
            if sent < exchange.contentLength { await unmark(isMarked, leaving: known) }
            throw error
        }
    }

    /// Returns the version of the file whose bytes are sent. If the check for changes is off (a mutant), the current
    /// version is sent.
    private func servedVersion(_ exchange: Exchange, _ state: inout World.State) -> Int64 {
        guard case .file = exchange.body else { return upload.identity.modified }
        return state.versions[Int(upload.identity.inode)] ?? upload.identity.modified
    }

    private func send(
        _ exchange: Exchange, _ flight: Int, isMarked: inout Bool
    ) async throws(Stop) -> ExchangeOutcome {
        let length = exchange.contentLength
        var sent: ByteCount = 0
        recorder.didStart(exchange, reached: 0)
        while sent < length {
            let chunk = ByteCount(world.number(in: 1...max(1, Int(length - sent))))
            if sent + chunk >= length, exchange.traits.contains(.completes) {
                try checkSource()
                isMarked = try await mark(exchange)
            }
            try await pause()
            checkSender()
            switch world.transfer(chunk, of: flight, upload.target.url) {
            case .sent:
                sent += chunk
                recorder.didSend(chunk, reached: exchange.fileBytes(afterSending: sent))
            case .broken(let some):
                return .broken(UploadFailure(.network, "connection reset"), bodySent: sent + some)
            case .answered(let answer): return .responded(answer)
            }
        }
        try await pause()
        return world.answer(flight, to: exchange, of: upload.id, upload.target.url)
    }

    /// Checks that the address of an upload is on disk before the first byte is sent to it.
    private func checkAddress(_ exchange: Exchange) {
        guard exchange.method == .patch else { return }
        world.with { state in
            guard state.life == life, !state.watch.ledger.durableAddresses.contains(exchange.url) else {
                return
            }
            state.watch.violated("I1", "upload \(upload.id) sends to an address that is not on disk")
        }
    }

    /// Checks that no newer attempt of this upload has begun.
    private func checkSender() {
        world.with { state in
            guard state.life == life, let newest = state.watch.uploads[upload.id]?.attempts,
                newest > upload.tries.attempts
            else { return }
            state.watch.violated(
                "I7",
                "upload \(upload.id): attempt \(upload.tries.attempts) sends after attempt \(newest) began")
        }
    }

    private func note(_ answer: ExchangeOutcome.Response, to exchange: Exchange) {
        guard exchange.method == .patch, answer.status == 204 else { return }
        world.with { state in
            guard state.life == life, var known = state.watch.uploads[upload.id] else { return }
            known.answered += exchange.contentLength
            state.watch.uploads[upload.id] = known
            let again =
                known.allowance + 1000 * ByteCount(state.watch.broadRetries)
                + (state.server.lost[upload.id] ?? 0)
                // After the server has lost bytes, a client may send each file again from its beginning.
                + (state.server.lost.isEmpty ? 0 : upload.size)
            if known.answered > upload.size + again {
                state.watch.violated("I11", "upload \(upload.id) sends acknowledged bytes again")
            }
        }
    }

    private func mark(_ exchange: Exchange) async throws(Stop) -> Bool {
        guard let mark = exchange.markBeforeLastBytes else { return false }
        guard world.mutant != .markIsDropped else { return false }
        try await record(mark, durably: true)
        return true
    }

    private func unmark(_ isMarked: Bool, leaving known: UploadResource?) async {
        guard isMarked, world.isAlive(life) else { return }
        try? await recorder.record(known.flatMap { Redacted($0) }, durably: true)
    }
}
