import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation

/// All there is to know of the upload under the cursor: where it goes and by what, what the server holds, how it
/// went so far.
struct DetailsView {
    let model: Model

    /// - Parameter first: The line that is shown first; of fewer lines than there is room for all are shown.
    func box(from first: Int) -> DialogBox {
        let upload = model.cursor.flatMap { model.table[$0.id] }
        let page = page(from: first)
        return DialogBox(
            title: model.appearance.safe(upload.map { "Details of \($0.path.name)" } ?? "Details"),
            body: Array(allLines[page.shown]) + [page.shown.count < allLines.count ? rest(after: page) : []],
            keys: keys, width: inside)
    }

    /// The lines that are shown at once, and where the pages before and after them begin.
    struct Page {
        var shown: Range<Int>
        var previous: Int
        var next: Int
    }

    func page(from first: Int) -> Page {
        // The last line tells what is not seen.
        let height = max(1, DialogBox.bodyHeight(model.size, keys: keys.count) - 1)
        let count = allLines.count
        let last = max(0, count - height)
        let first = max(0, min(first, last))
        return Page(
            shown: first..<min(count, first + height), previous: max(0, first - height),
            next: min(last, first + height))
    }

    /// `PgDn: 7 more lines`.
    private func rest(after page: Page) -> DialogBox.Line {
        let (above, below) = (page.shown.lowerBound, allLines.count - page.shown.upperBound)
        func part(_ count: Int, _ action: Action) -> String? {
            count > 0
                ? model.actions.label(of: action, in: .details).map {
                    "\($0): \(Wording.count(count, "line"))"
                }
                : nil
        }
        let parts = [
            part(above, .pageUp).map { $0 + " above" }, part(below, .pageDown).map { $0 + " below" },
        ]
        return [.init(model.appearance.safe(parts.compactMap { $0 }.joined(separator: ", ")), .dim)]
    }

    private var inside: Int { max(1, min(96, model.size.columns - 4)) }

    private var allLines: [DialogBox.Line] {
        let upload = model.cursor.flatMap { model.table[$0.id] }
        return (upload.map(facts) ?? [("", "nothing is here any more")]).flatMap {
            lines($0, width: inside)
        }
    }

    private var keys: [DialogBox.Line] {
        DialogBox.keyRows(
            .details, appearance: model.appearance, width: inside, atMost: model.size.rows < 18 ? 1 : 2)
    }

    /// As many of the facts as there are rows for, what went wrong first.
    func draw(rows: Range<Int>, in frame: inout Frame) {
        guard let upload = model.cursor.flatMap({ model.table[$0.id] }) else { return }
        let lines = facts(upload).flatMap { self.lines($0, width: model.size.columns - 2) }
        for (line, row) in zip(lines, rows) {
            var column = 1
            for piece in line { column = frame.put(piece.text, row: row, column: column, role: piece.role) }
        }
    }

    typealias Fact = (label: String, text: String)

    private func lines(_ fact: Fact, width: Int) -> [DialogBox.Line] {
        let text = model.appearance.safe(fact.text)
        let room = max(0, width - Self.labelWidth)
        let ellipsis = model.appearance.glyphs.ellipsis
        let shown: [SafeText] =
            switch fact.label {
            // Of a path or an address the end says more than the beginning.
            case "from", "to", "place": [text.truncatedAtStart(to: room, ellipsis: ellipsis)]
            // A person must be able to read what went wrong, and what to do.
            case "error", "next", "answer": text.wrapped(to: room, lines: Self.lineLimit, ellipsis: ellipsis)
            case "speed", "parts": [text.truncated(to: room, ellipsis: ellipsis)]
            default: text.wrapped(to: room, lines: 2, ellipsis: ellipsis)
            }
        return shown.enumerated().map { index, text in
            let label = (index == 0 ? fact.label : "").padding(
                toLength: Self.labelWidth, withPad: " ", startingAt: 0)
            return [
                .init(model.appearance.safe(label), .dim),
                .init(text, fact.label == "error" ? .warning : .dialog),
            ]
        }
    }

    private static let lineLimit = 4

    private static let labelWidth = 9

    func facts(_ upload: Upload) -> [Fact] {
        var facts: [Fact] = decision(upload)
        if let failure = Self.failure(upload), !upload.isUncertain {
            facts.append(("error", RowAppearance.sentence(failure, of: upload)))
            if let hint = failure.hint { facts.append(("next", hint)) }
        }
        facts += [
            ("from", upload.path.text), ("to", Self.goal(upload)), ("by", Self.way(upload)),
            ("state", state(upload)),
        ]
        if let batch = upload.batch { facts.append(("batch", batch)) }
        if let sent = sent(upload) { facts.append(("sent", sent)) }
        if let held = held(upload) { facts.append(("held", held)) }
        if let speed = speed(upload) { facts.append(("speed", speed)) }
        if let limit = limit(upload) { facts.append(("limit", limit)) }
        if let parts = upload.resource?.parts {
            let strip = model.appearance.glyphs.parts(parts, width: Self.stripWidth)
            facts.append(("parts", "\(strip)\(Wording.parts(parts)) at the server"))
        }
        if let expires = upload.resource?.expires {
            let wait = Wording.wait(expires.timeIntervalSince(model.clock.date))
            facts.append(("expires", "the server drops what it holds \(wait)"))
        }
        if upload.tries.attempts > 0 { facts.append(("tries", Self.tries(upload.tries))) }
        if case .done(let receipt, _) = upload.state { facts += Self.outcome(receipt, of: upload) }
        if upload.mayBeDuplicate {
            facts.append(("twice", "it may be there twice: sent again after no answer came"))
        }
        if let failure = Self.failure(upload), upload.isUncertain {
            facts.append(("answer", RowAppearance.sentence(failure, of: upload)))
        }
        return facts
    }

    /// All that it goes by, for of several the tightest holds it back: `2 MB/s until 18:00 for uploads to films`.
    private func limit(_ upload: Upload) -> String? {
        guard upload.isDue || upload.isScheduled else { return nil }
        let limits = model.status.limits.filter { $0.bandwidth != .unlimited && $0.scope.has(upload) }
        guard !limits.isEmpty else { return nil }
        return limits.map { limit in
            let text = limit.text(at: model.clock.date, in: model.appearance.zone)
            return "\(text) for \(limit.scope.text)"
        }.joined(separator: "; ")
    }

    /// `5.1 MB/s now, 4.7 MB/s in this attempt, 00:01 left` and how it went in the last minute.
    private func speed(_ upload: Upload) -> String? {
        let estimate = model.estimates[upload.id]
        guard let live = model.live[upload.id], let rate = estimate.rate else { return nil }
        var parts = ["\(ByteFormat.rate(rate)) now"]
        if let mean = live.mean { parts.append("\(ByteFormat.rate(mean)) in this attempt") }
        parts.append("\(Wording.remaining(estimate.remaining)) left")
        let graph = Graph(
            live.history.seconds.values, width: Self.sparkWidth, height: 1, style: model.appearance.graph)
        let spark = graph.lines.first.map { $0.drop { $0 == " " } } ?? ""
        return parts.joined(separator: ", ") + (spark.isEmpty ? "" : "  \(spark)")
    }

    private static let sparkWidth = 30
    private static let stripWidth = 32

    /// What a person must decide comes first: on a small screen there is room for little else.
    private func decision(_ upload: Upload) -> [Fact] {
        upload.isUncertain
            ? [("error", Uncertainty.happened), ("next", Uncertainty(actions: model.actions).next)] : []
    }

    private static func goal(_ upload: Upload) -> String {
        "\(upload.target.place): \(upload.target.name)"
    }

    /// `tus, because the server says Tus-Version 1.0.0`.
    private static func way(_ upload: Upload) -> String {
        if let choice = upload.resource?.choice { return choice.sentence }
        let name = upload.protocolName
        if name == AutoUpload.name { return "auto, found out when it starts" }
        return name + (upload.target.method == AutoUpload.name ? ", chosen by auto" : "")
    }

    private func state(_ upload: Upload) -> String {
        let parts = [
            kind(upload), Wording.start(of: upload, in: model).map { "starts \($0)" },
            upload.target.existing.map { "ifExists \($0.rawValue)" },
        ]
        return parts.compactMap { $0 }.joined(separator: "; ")
    }

    private func kind(_ upload: Upload) -> String {
        guard case .running = upload.state, model.isEngineGone else { return upload.state.kind }
        return "was running when the engine went; goes on when an engine runs"
    }

    /// How far a running attempt is, where that is more than what the server has said.
    private func sent(_ upload: Upload) -> String? {
        guard let sample = model.live[upload.id]?.sample, sample.phase.hasBegun,
            sample.sent > max(upload.confirmed, sample.confirmed)
        else { return nil }
        return "\(ByteFormat.sentence(sample.sent)) of \(ByteFormat.sentence(upload.size)) "
            + "(\(Wording.percent(sample.sent, of: upload.size))%)"
    }

    private func held(_ upload: Upload) -> String? {
        if case .done = upload.state { return nil }
        if upload.isUncertain { return "nobody knows: all of \(ByteFormat.sentence(upload.size)) or nothing" }
        let confirmed = max(upload.confirmed, model.live[upload.id]?.sample.confirmed ?? 0)
        let size = ByteFormat.sentence(upload.size)
        guard confirmed > 0 else {
            // Many servers tell what they hold only when they are asked, or once they hold all of it.
            let isUnderWay = model.live[upload.id]?.sample.phase.hasBegun ?? false
            if isUnderWay { return "not told yet: the server says it later, or when all is there" }
            guard upload.resource != nil, upload.canResume else { return "0 B of \(size) on server" }
            let sent = model.reached[upload.id].map { "; \(ByteFormat.sentence($0)) of \(size) were sent" }
            return "not told yet: the server is asked on resume\(sent ?? "")"
        }
        return "\(ByteFormat.sentence(confirmed)) of \(size) at the server "
            + "(\(Wording.percent(confirmed, of: upload.size))%)"
    }

    private static func tries(_ tries: Upload.Tries) -> String {
        var text = Wording.count(tries.attempts, "attempt")
        if tries.resumes > 0 { text += ", went on \(Wording.count(tries.resumes, "time"))" }
        if tries.resent > 0 { text += ", \(ByteFormat.sentence(tries.resent)) sent again" }
        return text
    }

    private static func outcome(_ receipt: Receipt, of upload: Upload) -> [Fact] {
        var facts: [Fact] = []
        if receipt.wasThere { facts.append(("sent", "nothing: it was there already")) }
        facts.append(
            (
                "verified",
                receipt.verified.map { "by the server, with \($0.shown)" } ?? unverified(upload)
            ))
        if let location = receipt.location { facts.append(("place", location)) }
        if let source = receipt.source { facts.append(("file", "\(source.rawValue) while it was sent")) }
        return facts
    }

    /// Nobody has reason to doubt it: only there is no second look.
    private static func unverified(_ upload: Upload) -> String {
        upload.canBeVerified
            ? "no: the server took it all and told no checksum of it"
            : "no: the server took it all, and \(upload.protocolName) has no checksums"
    }

    private static func failure(_ upload: Upload) -> UploadFailure? {
        switch upload.state {
        case .held(let failure), .failed(let failure), .waiting(_, let failure): failure
        case .queued, .running, .paused, .done: nil
        }
    }
}
