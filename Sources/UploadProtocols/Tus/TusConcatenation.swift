import FerryFiles
import HTTPTypes

/// One file as several concurrent partial uploads, which the server joins at the end (tus 1.0.0, Concatenation).
///
/// The resource contains the URLs of all partial uploads. Its `url` is that of the partial upload created last. A
/// resource with a new URL is on disk before the next request, so each URL is on disk before bytes are sent to it.
struct TusConcatenation: Sendable {
    /// The next action.
    enum Turn: Sendable {
        case step(Step)
        /// The server refuses to create one of the parts or to join them, so the existing parts must be deleted.
        case givenUp(notes: [Step.Note])
    }

    private enum Phase: Sendable {
        /// The partial uploads are created one after another.
        case creating
        case filling
        case joining
    }

    private enum Part: Sendable {
        case missing
        case there(TusAppending)
    }

    /// The minimum size of a part in bytes. Smaller parts would not make the upload faster.
    static let smallestPart: ByteCount = 16 << 20
    /// The maximum number of parts. It is small, because one journal record contains the URLs of all parts.
    static let mostParts = 8

    private(set) var resource: UploadResource
    private let creation: TusCreation
    private let options: ProtocolOptions
    private var parts: [Part]
    private var phase = Phase.creating
    /// The indices of the parts for which the server has responded since the last query of all parts.
    private var heard: Set<Int> = []
    private var full: Set<Int> = []
    private var budget = RetryBudget()
    /// True once a partial upload had offset 0 although the server had confirmed bytes of it.
    private(set) var hasForgotten = false
    /// The URLs of the partial uploads in the resource that was last recorded in the journal.
    private var noted: [String] = []

    private var item: UploadItem { creation.item }

    /// Makes a new upload.
    /// - Returns: nil if the file is too small, or if the options allow one request at a time only. Also nil if the
    ///   server does not offer concatenation, or has lost confirmed bytes.
    init?(item: UploadItem, options: ProtocolOptions, at capabilities: ServerCapabilities, sum: TusSum?) {
        let fitting = Int(clamping: item.size / Self.smallestPart)
        let count = min(options.parallelRequests ?? 1, fitting, Self.mostParts)
        guard count > 1, capabilities.extensions.contains("concatenation"), !capabilities.forgets else {
            return nil
        }
        resource = UploadResource(url: item.url, parts: .init(held: 0, planned: count))
        (resource.tus.sum, resource.tus.isChecked) = (sum, sum != nil)
        resource.takeFacts(of: capabilities)
        parts = Array(repeating: .missing, count: count)
        creation = TusCreation(item: item)
        self.options = options
    }

    /// Resumes the upload of an earlier attempt.
    /// - Returns: nil if that upload was not in parts, or if the number of parts is not valid.
    init?(resuming resource: UploadResource, item: UploadItem, options: ProtocolOptions) {
        guard let planned = resource.parts?.planned, (2...Self.mostParts).contains(planned),
            planned <= item.size
        else { return nil }
        self.resource = resource
        noted = Self.urls(in: resource)
        creation = TusCreation(item: item)
        self.options = options
        parts = Array(repeating: .missing, count: planned)
        for index in parts.indices {
            if let url = resource.tus.partials[index] { parts[index] = .there(appending(at: url, index)) }
        }
    }

    /// Returns the URLs of the known partial uploads, in the order of their parts in the file.
    static func urls(in resource: UploadResource) -> [String] {
        resource.tus.partials.sorted { $0.key < $1.key }.map(\.value)
    }

    mutating func start() -> Turn {
        if resource.wholeBodySent {
            // A query would prove nothing: after joining the partial uploads, a server may delete or keep them.
            return .step(.failed(SingleRequestUpload.unknownOutcome(nil)))
        }
        return makeMissing { $0.fill() }
    }

    /// - Parameter part: The part number in the exchange, from 1; 0 for the request that joins the parts.
    mutating func receive(_ reply: ExchangeOutcome, part: Int) -> Turn {
        switch phase {
        case .joining: return receiveJoined(reply)
        case .creating, .filling:
            let index = part - 1
            guard parts.indices.contains(index) else {
                return .step(.failed(.unasked))
            }
            switch parts[index] {
            case .missing: return receiveCreation(reply, index)
            case .there(var appending):
                let turn = appending.receive(reply)
                return take(turn, of: appending, index)
            }
        }
    }
}

extension TusConcatenation {
    private func range(_ index: Int) -> Range<ByteCount> {
        let share = item.size / ByteCount(parts.count)
        let start = share * ByteCount(index)
        return start..<(index == parts.count - 1 ? item.size : start + share)
    }

    private func appending(at url: String, _ index: Int) -> TusAppending {
        var part = UploadResource(url: url)
        part.share(resource)
        return TusAppending(part, range: range(index), chunkSize: options.chunkSize, part: index + 1)
    }

    /// Creates the first missing partial upload, or calls `next` if none is missing.
    private mutating func makeMissing(
        noting notes: [Step.Note] = [], _ next: (inout TusConcatenation) -> Turn
    ) -> Turn {
        let missing = parts.firstIndex { if case .missing = $0 { true } else { false } }
        guard let missing else { return next(&self).noting(notes) }
        phase = .creating
        return create(missing, noting: notes)
    }

    private func create(_ index: Int, noting notes: [Step.Note]) -> Turn {
        do throws(UploadFailure) {
            let range = range(index)
            var exchange = try creation.exchange(.partial(range.upperBound - range.lowerBound))
            exchange.part = index + 1
            return .step(.send(exchange, notes: notes))
        } catch {
            return .step(.failed(error, notes: notes))
        }
    }

    private mutating func receiveCreation(_ reply: ExchangeOutcome, _ index: Int) -> Turn {
        switch reply {
        case .broken(let failure, _): return .step(.failed(failure))
        case .responded(let response):
            guard response.status == 201 || response.status == 200 else { return refused(response) }
            do throws(UploadFailure) {
                let url = try creation.url(in: response)
                resource.url = url
                resource.tus.partials[index] = url
                resource.take(response.expiry)
                var made = appending(at: url, index)
                guard case .creating = phase else {
                    let turn = made.append(after: response)
                    return take(turn, of: made, index)
                }
                parts[index] = .there(made)
                heard.insert(index)
                noted = Self.urls(in: resource)
                return makeMissing(noting: [.resource(resource)]) { $0.fill(after: response) }
            } catch {
                return .step(.failed(error))
            }
        }
    }

    /// Appends to the partial uploads that were just created, and queries those of an earlier attempt.
    ///
    /// - Parameter response: The response to the last creation; nil to query all partial uploads.
    private mutating func fill(after response: ExchangeOutcome.Response? = nil) -> Turn {
        phase = .filling
        count()
        var exchanges: [Exchange] = []
        for index in parts.indices {
            guard case .there(var appending) = parts[index] else { continue }
            if heard.contains(index), let response,
                case .send(let exchange) = appending.append(after: response)
            {
                exchanges.append(exchange)
            } else {
                exchanges.append(appending.ask())
            }
            parts[index] = .there(appending)
        }
        return .step(.sendAll(exchanges))
    }

    private mutating func take(_ turn: TusAppending.Turn, of appending: TusAppending, _ index: Int) -> Turn {
        var appending = appending
        let lost = appending.takeLost()
        parts[index] = .there(appending)
        heard.insert(index)
        let wasChecked = resource.tus.isChecked
        resource.share(appending.resource)
        resource.tus.isChecked = wasChecked && appending.resource.tus.isChecked
        resource.take(appending.resource.expires)
        count()
        var notes: [Step.Note] = lost > 0 ? [.serverLost(lost)] : []
        switch turn {
        case .send(let exchange): return .step(.send(exchange, notes: notes + resourceNotes()))
        case .failed(let failure): return .step(.failed(failure, notes: notes + resourceNotes()))
        case .full:
            full.insert(index)
            notes += resourceNotes()
            return full.count == parts.count ? join(noting: notes) : .step(.wait(notes: notes))
        case .gone where resource.tus.mayBeJoined, .forgotten where resource.tus.mayBeJoined:
            return .step(.failed(SingleRequestUpload.unknownOutcome(nil), notes: notes))
        case .gone(let reason): return restart(index, appending, because: reason, noting: notes)
        case .forgotten:
            hasForgotten = true
            return restart(index, appending, because: TusUpload.forgotten, noting: notes)
        }
    }

    /// Creates a partial upload again, because the server no longer has it, has another one at its URL, or has lost its
    /// bytes.
    private mutating func restart(
        _ index: Int, _ appending: TusAppending, because reason: String, noting earlier: [Step.Note]
    ) -> Turn {
        var notes = earlier
        if appending.resource.confirmed > 0 { notes.append(.serverLost(appending.resource.confirmed)) }
        parts[index] = .missing
        resource.tus.partials[index] = nil
        count()
        guard budget.allows(.restart, limit: parts.count + 1) else {
            return .step(
                .failed(
                    .permanent, "\(reason), again and again",
                    notes: notes + [.resource(resource)]))
        }
        return create(index, noting: notes)
    }

    /// Returns the note that records the current resource; empty if it need not be recorded. Until the server has
    /// responded for every part, `resource.confirmed` is that of an earlier attempt. So until then, the resource is
    /// recorded only if it has new URLs.
    private mutating func resourceNotes() -> [Step.Note] {
        let urls = Self.urls(in: resource)
        guard heard.count == parts.count || urls != noted else { return [] }
        noted = urls
        return [.resource(resource)]
    }

    /// Adds up the confirmed bytes of all parts, once the server has responded for each.
    private mutating func count() {
        guard heard.count == parts.count else { return }
        var (held, confirmed) = (0, ByteCount(0))
        for case .there(let appending) in parts {
            confirmed += min(appending.resource.confirmed, item.size)
            if appending.isFull { held += 1 }
        }
        resource.confirmed = min(confirmed, item.size)
        resource.parts?.held = held
    }

    private mutating func join(noting notes: [Step.Note]) -> Turn {
        phase = .joining
        let urls = Self.urls(in: resource).map(UploadAddress.forServer)
        do throws(UploadFailure) {
            var exchange = try creation.exchange(.final(urls))
            exchange.markBeforeLastBytes = resource.withWholeBodySent(true)
            return .step(.send(exchange, notes: notes))
        } catch {
            return .step(.failed(error, notes: notes))
        }
    }

    private mutating func receiveJoined(_ reply: ExchangeOutcome) -> Turn {
        switch reply {
        case .broken(let failure, let bodySent):
            // A request that was never sent had no effect.
            return .step(.failed(bodySent == nil ? failure : SingleRequestUpload.unknownOutcome(failure)))
        case .responded(let response):
            switch response.status {
            case 200..<300: return .step(.done(receipt(response), notes: [.resource(resource)]))
            // The response comes from a proxy, which does not know what the server behind it did.
            case 502, 504:
                return .step(.failed(SingleRequestUpload.unknownOutcome(TusVerdict.failure(response))))
            default: return refused(response)
            }
        }
    }

    /// Handles a server's refusal to create or to join partial uploads. A server can refuse although it offers
    /// concatenation. After the first permanent refusal to join, the parts are queried and joined once more. After the
    /// second, the file is sent as one upload. The file is also sent as one upload if the server creates some partial
    /// uploads and then permanently refuses another. Any other refusal ends the attempt.
    private mutating func refused(_ response: ExchangeOutcome.Response) -> Turn {
        let failure = TusVerdict.failure(response)
        guard failure.category == .permanent else {
            // The server may have failed after it had joined and removed the parts.
            if case .joining = phase, failure.category == .server { resource.tus.mayBeJoined = true }
            return .step(
                .failed(failure, notes: Self.urls(in: resource).isEmpty ? [] : [.resource(resource)]))
        }
        let mayRepeat = budget.allows(.refusal, limit: 2)
        switch phase {
        case .filling: return .step(.failed(failure, notes: [.resource(resource)]))
        case .joining where mayRepeat:
            (heard, full) = ([], [])
            return fill().noting([.resource(resource)])
        case .joining, .creating:
            guard !Self.urls(in: resource).isEmpty else { return .step(.failed(failure)) }
            return .givenUp(notes: resource.confirmed > 0 ? [.serverLost(resource.confirmed)] : [])
        }
    }

    private func receipt(_ response: ExchangeOutcome.Response) -> Receipt {
        let location = response.fields[.location].flatMap {
            try? UploadAddress.resolve($0, against: item.url)
        }
        return Receipt(
            location: location, entityTag: response.fields[.eTag], bytes: item.size,
            verified: resource.tus.isChecked ? resource.tus.sum?.algorithm : nil)
    }
}

extension TusConcatenation.Turn {
    fileprivate func noting(_ notes: [Step.Note]) -> Self {
        switch self {
        case .step(let step): .step(step.noting(notes))
        case .givenUp(let own): .givenUp(notes: notes + own)
        }
    }
}

extension UploadResource {
    /// Records the time when a part expires. The earliest time is kept, because the upload needs all parts.
    fileprivate mutating func take(_ expiry: Date?) {
        expires = [expires, expiry].compactMap { $0 }.min()
    }
}

extension UploadAddress {
    /// Returns a partial upload's URL for the field `Upload-Concat`. For a server on a Unix socket, returns only the
    /// path and the query.
    fileprivate static func forServer(_ url: String) -> String {
        guard isUnixSocket(url), let parts = URLComponents(string: url) else { return url }
        return parts.percentEncodedPath + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
    }
}
