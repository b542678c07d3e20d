import FerryProtocols
import FerryUploads

/// The content of an upload's row, independent of the width of the screen.
struct RowAppearance: Sendable {
    var sign: StateKind
    var word: String
    var role: Role
    var part: ByteCount?
    var rate = ""
    var remaining = ""
    /// The message instead of rate and remaining time, in several versions, the longest first.
    var messages: [String] = []
    /// A short text for a narrow screen, such as `offline`, `later` or the rate, of which seven cells are drawn. Only
    /// `verified`, which replaces the percentage of 100, is drawn completely.
    var short = ""
    /// A remark such as `verified`, in the columns of rate and remaining time.
    var remark = ""
    /// The stored parts of a running upload, in two versions: `12 of 40 parts`, `12/40 parts`.
    var parts: [String] = []

    init(_ upload: Upload, in model: Model) {
        let isRunning = if case .running = upload.state { true } else { false }
        let stored = isRunning ? upload.confirmed : SampledProgress().of(upload)
        let confirmed = max(stored, model.live.reached[upload.id] ?? 0)
        let begun = confirmed > 0 ? confirmed : nil
        switch upload.state {
        case .queued:
            (sign, word, role, part) = (.queued, "queued", .queued, begun)
            if let start = Strings.start(of: upload, in: model) {
                if start.count <= Columns.wordWidth { word = start } else { messages = ["starts \(start)"] }
                let moment = start.hasPrefix("at ") ? String(start.dropFirst(3)) : start
                short = moment.count <= Columns.rateWidth ? moment : "later"
            }
        case .running where model.isEngineGone:
            (sign, word, role, part) = (.offline, "stopped", .waiting, confirmed)
            (messages, short) = (["resumes when an engine runs", "no engine runs", "no engine"], "stopped")
        case .running:
            (sign, word, role, part) = (.running, "running", .running, confirmed)
            show(model.live.progress[upload.id], model.live.estimates[upload.id], isOffline: model.isOffline)
            if let held = upload.resource?.parts {
                parts = [Strings.parts(held), "\(held.stored)/\(held.planned) parts"]
            }
        case .waiting(let until, let failure):
            let count = upload.tries.network + upload.tries.server
            (sign, word, role, part) = (
                .waiting, count > 0 && count < 100 ? "retry \(count)" : "retry", .waiting, confirmed
            )
            let end = model.live.waitEnds[upload.id] ?? model.clock.seconds(of: until)
            let seconds = end - model.clock.seconds
            // An upload that waits for its source or for file descriptors does not wait for the network.
            let isOffline = model.isOffline && ![.sourceAway, .descriptors].contains(failure.category)
            let wait =
                model.isEngineGone
                ? "waits for an engine" : isOffline ? "waiting for network" : Strings.wait(seconds)
            messages = ["\(wait): \(Self.sentence(failure, of: upload))"]
            if let status = failure.status {
                messages.append("\(wait): \(status)")
            } else if failure.category.isOfNetwork {
                if let detail = failure.detail?.words { messages.append("\(wait): \(detail)") }
                messages.append("\(wait): network")
            } else if failure.category == .sourceAway {
                messages.append("\(wait): source")
            }
            if model.isEngineGone { messages.append("no engine runs") }
            short =
                model.isEngineGone
                ? "later" : isOffline ? "offline" : wait.hasPrefix("in ") ? String(wait.dropFirst(3)) : wait
        case .paused(.offline):
            (sign, word, role, part) = (.offline, "offline", .waiting, begun)
            (messages, short) = (["waiting for network", "no network"], "offline")
        case .paused:
            (sign, word, role, part) = (.paused, "paused", .paused, begun)
        case .held(let failure):
            (sign, word, role, part) = (.held, Self.word(failure), .paused, begun)
            messages = Self.sentences(failure, of: upload)
            if failure.category == .sourceChanged { messages = Self.changed(failure, upload, model.actions) }
            if upload.isUncertain { messages = Uncertainty(actions: model.actions).inRow }
            short = Self.word(failure)
        case .failed(let failure):
            (sign, word, role, part) = (.failed, "FAILED", .failed, begun)
            messages =
                upload.isUncertain
                ? Uncertainty(actions: model.actions).inRow : Self.sentences(failure, of: upload)
            short =
                upload.isUncertain
                ? Self.word(failure) : failure.status.map(String.init) ?? Self.reason(failure) ?? "failed"
        case .done(let receipt, _):
            (sign, word, role, part) = (.done, "done", .done, upload.size)
            if receipt.wasThere {
                (messages, short) = (["was there already"], "there")
            } else if receipt.verified != nil {
                (remark, short) = ("verified", "verified")
            }
        }
        if upload.mayBeDuplicate, !upload.isUncertain {
            // The word and the mark have eight cells together.
            let start = sign == .running ? "run" : String(word.prefix { $0 != " " }.prefix(6))
            word = start + model.appearance.glyphs.twice
            if sign == .done { remark = "maybe twice" }
        }
    }

    private mutating func show(_ live: LiveProgress?, _ estimate: TransferEstimate, isOffline: Bool) {
        guard let sample = live?.sample else { return }
        part = sample.phase.hasBegun ? sample.sent : max(part ?? 0, sample.confirmed)
        switch sample.phase {
        case .connecting: (messages, short) = (["connecting"], "connect")
        case .reading: (messages, short) = (["reading for its checksum"], "reading")
        case .sending where isOffline && estimate.rate ?? 0 < 1:
            (messages, short) = (["no network, connection kept", "no network"], "offline")
        case .sending:
            if let speed = estimate.rate { rate = ByteFormat.compact(speed) + "/s" }
            remaining = estimate.remaining.map { Strings.remaining($0) } ?? ""
            short = rate
        case .waitingForServer: (messages, short) = (["waiting for server"], "server")
        }
    }

    /// Returns the failure's message without the file's path, which the row has, and with the HTTP status.
    static func sentence(_ failure: UploadFailure, of upload: Upload) -> String {
        let failure = failure.advised(for: upload.target.destination)
        let path = upload.path.text + ": "
        let summary = String(
            failure.summary.hasPrefix(path) ? failure.summary.dropFirst(path.count) : failure.summary[...])
        guard let status = failure.status, !summary.contains(String(status)) else { return summary }
        return "\(status) \(summary)"
    }

    private static func changed(
        _ failure: UploadFailure, _ upload: Upload, _ actions: ActionTable
    ) -> [String] {
        let sentence = sentence(failure, of: upload)
        let short = String(sentence.prefix { $0 != ":" })
        let key = actions.label(of: .retry).map { "; \($0): again" }
        return sentences(failure, of: upload).dropLast()
            + [sentence, short].flatMap { text in [key.map { text + $0 }, text].compactMap { $0 } }
    }

    static func hint(_ failure: UploadFailure, of upload: Upload) -> String? {
        failure.advised(for: upload.target.destination).hint
    }

    static func advice(_ failure: UploadFailure, of upload: Upload) -> String {
        sentence(failure, of: upload) + (hint(failure, of: upload).map { "; \($0)" } ?? "")
    }

    private static func sentences(_ failure: UploadFailure, of upload: Upload) -> [String] {
        let sentence = sentence(failure, of: upload)
        return hint(failure, of: upload).map { ["\(sentence); \($0)", sentence] } ?? [sentence]
    }

    private static func word(_ failure: UploadFailure) -> String { reason(failure) ?? "held" }

    /// Returns a word for the failure in at most eight cells, if its category has one.
    private static func reason(_ failure: UploadFailure) -> String? {
        switch failure.category {
        case .sourceChanged: "changed"
        case .sourceUnreadable: "no file"
        case .authentication: "sign in"
        case .outcomeUnknown: "answer?"
        case .storage: "disk"
        default: nil
        }
    }
}

extension UploadFailure.Detail {
    /// The cause of a network failure in a few words; nil for one that only a newer version knows.
    fileprivate var words: String? {
        switch self {
        case .refused: "refused"
        case .unreachable: "unreachable"
        case .nameNotFound: "name not found"
        case .reset: "reset"
        case .closed: "closed"
        case .noResponse: "no answer"
        case .notHTTP: "not HTTP"
        case .proxy: "proxy"
        default: nil
        }
    }
}
