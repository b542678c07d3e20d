import FerryFiles
import HTTPTypes

/// The upload of one file as several partial uploads at the same time, which the server joins (tus 1.0.0,
/// Concatenation). `resource.url` is the URL of the newest one, or the destination's before the first one exists. Each
/// new URL is on disk before bytes are sent to it.
struct TusConcatenation: Sendable {
    private enum Phase: Sendable {
        /// The partial uploads are created one after another.
        case creating
        case filling
        case joining
        /// The server refuses partial uploads. The caller must delete them and send the file as one upload.
        case givenUp
    }

    /// The minimum size of a part in bytes. Smaller parts would not make the upload faster.
    static let smallestPart: ByteCount = 16 << 20
    /// The maximum number of parts. It is small, because one record on disk contains the URLs of all parts.
    static let mostParts = 8

    private(set) var resource: UploadResource
    private let creation: TusCreation
    private let options: ProtocolOptions
    /// The partial uploads; nil for one that does not exist yet.
    private var parts: [TusAppending?]
    private var phase = Phase.creating
    /// The indices of the parts with a response or a failure since the start or the last refusal to join.
    private var heard: Set<Int> = []
    private var full: Set<Int> = []
    private var budget = RetryBudget()
    /// True once the server has reported offset 0 for a partial upload although it had confirmed bytes of that upload.
    private(set) var hasForgotten = false
    /// The URLs of the partial uploads, as they were last recorded on disk.
    private var noted: [String] = []

    var isGivenUp: Bool { if case .givenUp = phase { true } else { false } }
    private var item: UploadItem { creation.item }

    /// Prepares a new upload in parts; nil if the file is too small, or if the options or the server do not allow it.
    init?(item: UploadItem, options: ProtocolOptions, at capabilities: ServerCapabilities, sum: TusSum?) {
        let fitting = Int(clamping: item.size / Self.smallestPart)
        let count = min(options.parallelRequests ?? 1, fitting, Self.mostParts)
        guard count > 1, capabilities.extensions.contains("concatenation"), !capabilities.forgets else {
            return nil
        }
        resource = UploadResource(url: item.url, parts: .init(stored: 0, planned: count))
        (resource.tus.sum, resource.tus.isChecked) = (sum, sum != nil)
        resource.takeFacts(of: capabilities)
        parts = Array(repeating: nil, count: count)
        creation = TusCreation(item: item)
        self.options = options
    }

    /// Resumes an upload in parts that an earlier attempt began. Returns nil if that attempt did not use valid parts.
    init?(resuming resource: UploadResource, item: UploadItem, options: ProtocolOptions) {
        guard let planned = resource.parts?.planned, (2...Self.mostParts).contains(planned),
            planned <= item.size
        else { return nil }
        self.resource = resource
        noted = Self.urls(in: resource)
        creation = TusCreation(item: item)
        self.options = options
        parts = Array(repeating: nil, count: planned)
        for index in parts.indices {
            parts[index] = resource.tus.partials[index].map { appending(at: $0, index) }
        }
    }

    /// Returns the URLs of the partial uploads in `resource`, in the order of their parts in the file.
    static func urls(in resource: UploadResource) -> [String] {
        resource.tus.partials.sorted { $0.key < $1.key }.map(\.value)
    }

    mutating func start() -> Step {
        if resource.wholeBodySent {
            // A query would prove nothing: after joining the partial uploads, a server can delete or keep them.
            return .failed(SingleRequestUpload.unknownOutcome(nil))
        }
        return makeMissing { $0.fill() }
    }

    /// - Parameter part: The number of the request's part, from 1; 0 for the request that joins the parts.
    mutating func receive(_ reply: ExchangeOutcome, part: Int) -> Step {
        switch phase {
        case .joining: return receiveJoined(reply)
        case .givenUp: return .failed(.unasked)
        case .creating, .filling:
            let index = part - 1
            guard parts.indices.contains(index) else { return .failed(.unasked) }
            guard var appending = parts[index] else { return receiveCreation(reply, index) }
            let turn = appending.receive(reply)
            return take(turn, of: appending, index)
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

    /// Creates the first partial upload that does not exist yet, or calls `next` if all exist.
    private mutating func makeMissing(
        noting notes: [Step.Note] = [], _ next: (inout TusConcatenation) -> Step
    ) -> Step {
        guard let missing = parts.firstIndex(where: { $0 == nil }) else { return next(&self).noting(notes) }
        phase = .creating
        return create(missing, noting: notes)
    }

    private func create(_ index: Int, noting notes: [Step.Note]) -> Step {
        do throws(UploadFailure) {
            let range = range(index)
            var exchange = try creation.exchange(.partial(range.upperBound - range.lowerBound))
            exchange.part = index + 1
            return .send(exchange, notes: notes)
        } catch { return .failed(error, notes: notes) }
    }

    private mutating func receiveCreation(_ reply: ExchangeOutcome, _ index: Int) -> Step {
        switch reply {
        case .broken(let failure, _): return .failed(failure)
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
                parts[index] = made
                heard.insert(index)
                noted = Self.urls(in: resource)
                return makeMissing(noting: [.resource(resource)]) { $0.fill(after: response) }
            } catch { return .failed(error) }
        }
    }

    /// Appends bytes to each partial upload that this attempt created, and asks the others for their offsets.
    /// `response` is the one that created the last partial upload; nil to ask all.
    private mutating func fill(after response: ExchangeOutcome.Response? = nil) -> Step {
        phase = .filling
        count()
        var exchanges: [Exchange] = []
        for index in parts.indices {
            guard var appending = parts[index] else { continue }
            if heard.contains(index), let response,
                case .send(let exchange) = appending.append(after: response)
            {
                exchanges.append(exchange)
            } else {
                exchanges.append(appending.ask())
            }
            parts[index] = appending
        }
        return .sendAll(exchanges)
    }

    private mutating func take(_ turn: TusAppending.Turn, of appending: TusAppending, _ index: Int) -> Step {
        var appending = appending
        let lost = appending.takeLost()
        parts[index] = appending
        heard.insert(index)
        let wasChecked = resource.tus.isChecked
        resource.share(appending.resource)
        resource.tus.isChecked = wasChecked && appending.resource.tus.isChecked
        resource.take(appending.resource.expires)
        count()
        var notes: [Step.Note] = lost > 0 ? [.serverLost(lost)] : []
        switch turn {
        case .send(let exchange): return .send(exchange, notes: notes + resourceNotes())
        case .failed(let failure): return .failed(failure, notes: notes + resourceNotes())
        case .full:
            full.insert(index)
            notes += resourceNotes()
            return full.count == parts.count ? join(noting: notes) : .wait(notes: notes)
        case .gone where resource.tus.mayBeJoined, .forgotten where resource.tus.mayBeJoined:
            return .failed(SingleRequestUpload.unknownOutcome(nil), notes: notes)
        case .gone(let reason): return restart(index, appending, because: reason, noting: notes)
        case .forgotten:
            hasForgotten = true
            return restart(index, appending, because: TusUpload.forgotten, noting: notes)
        }
    }

    /// Creates a partial upload again, because that on the server is gone, has lost bytes or does not fit.
    private mutating func restart(
        _ index: Int, _ appending: TusAppending, because reason: String, noting earlier: [Step.Note]
    ) -> Step {
        var notes = earlier
        if appending.resource.confirmed > 0 { notes.append(.serverLost(appending.resource.confirmed)) }
        parts[index] = nil
        resource.tus.partials[index] = nil
        count()
        guard budget.allows(.restart, limit: parts.count + 1) else {
            return .failed(.permanent, "\(reason), again and again", notes: notes + [.resource(resource)])
        }
        return create(index, noting: notes)
    }

    /// Returns the note that records `resource`. Until all parts are heard of, only new URLs are worth one.
    private mutating func resourceNotes() -> [Step.Note] {
        let urls = Self.urls(in: resource)
        guard heard.count == parts.count || urls != noted else { return [] }
        noted = urls
        return [.resource(resource)]
    }

    /// Records how many bytes and whole parts the server has. Does nothing before `heard` contains every part.
    private mutating func count() {
        guard heard.count == parts.count else { return }
        var (held, confirmed) = (0, ByteCount(0))
        for case let appending? in parts {
            confirmed += min(appending.resource.confirmed, item.size)
            if appending.isFull { held += 1 }
        }
        resource.confirmed = min(confirmed, item.size)
        resource.parts?.stored = held
    }

    private mutating func join(noting notes: [Step.Note]) -> Step {
        phase = .joining
        let urls = Self.urls(in: resource).map(UploadAddress.forServer)
        do throws(UploadFailure) {
            var exchange = try creation.exchange(.final(urls))
            exchange.markBeforeLastBytes = resource.withWholeBodySent(true)
            return .send(exchange, notes: notes)
        } catch { return .failed(error, notes: notes) }
    }

    private mutating func receiveJoined(_ reply: ExchangeOutcome) -> Step {
        switch reply {
        case .broken(let failure, let bodySent):
            // A request that was never sent had no effect.
            return .failed(bodySent == nil ? failure : SingleRequestUpload.unknownOutcome(failure))
        case .responded(let response):
            switch response.status {
            case 200..<300: return .done(receipt(response), notes: [.resource(resource)])
            // The response comes from a proxy, which does not know what the server behind it did.
            case 502, 504: return .failed(SingleRequestUpload.unknownOutcome(TusVerdict.failure(response)))
            default: return refused(response)
            }
        }
    }

    /// Handles a refusal to create or to join partial uploads. After the first permanent refusal to join, asks for the
    /// state of all parts. After the second, or if only some can be created, the file is sent as one upload.
    private mutating func refused(_ response: ExchangeOutcome.Response) -> Step {
        let failure = TusVerdict.failure(response)
        guard failure.category == .permanent else {
            // The server possibly failed after it had joined and removed the parts.
            if case .joining = phase, failure.category == .server { resource.tus.mayBeJoined = true }
            return .failed(failure, notes: Self.urls(in: resource).isEmpty ? [] : [.resource(resource)])
        }
        let mayRepeat = budget.allows(.refusal, limit: 2)
        switch phase {
        case .filling, .givenUp: return .failed(failure, notes: [.resource(resource)])
        case .joining where mayRepeat:
            (heard, full) = ([], [])
            return fill().noting([.resource(resource)])
        case .joining, .creating:
            guard !Self.urls(in: resource).isEmpty else { return .failed(failure) }
            phase = .givenUp
            return .wait(notes: resource.confirmed > 0 ? [.serverLost(resource.confirmed)] : [])
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

extension UploadResource {
    /// Records the time when a part expires, if it is the earliest, because the upload needs all parts.
    fileprivate mutating func take(_ expiry: Date?) { expires = [expires, expiry].compactMap { $0 }.min() }
}

extension UploadAddress {
    /// Returns a partial upload's URL for the field `Upload-Concat`, without the server if that is on a Unix socket.
    fileprivate static func forServer(_ url: String) -> String {
        guard isUnixSocket(url), let parts = URLComponents(string: url) else { return url }
        return parts.percentEncodedPath + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
    }
}
