import FerryProtocols
import FerryUploads

/// The facts about the upload under the cursor.
struct DetailsView {
    let model: Model

    func box(from first: Int) -> DialogBox {
        let shown = page(from: first).shown
        let lines = allLines
        let last = shown.count < lines.count ? rest(shown.lowerBound, lines.count - shown.upperBound) : []
        return DialogBox(
            title: model.appearance.safe(title), body: lines[shown] + [last], keys: keys, width: inside)
    }

    var title: String { model.list.current.map { "Details of \($0.path.name) (\($0.id))" } ?? "Details" }

    /// The visible lines, and the first lines of the previous and the next page.
    func page(from first: Int) -> (shown: Range<Int>, previous: Int, next: Int) {
        // The last line counts the hidden lines.
        let height = max(1, DialogBox.bodyHeight(model.size, keys: keys.count) - 1)
        let count = allLines.count
        let last = max(0, count - height)
        let first = max(0, min(first, last))
        return (first..<min(count, first + height), max(0, first - height), min(last, first + height))
    }

    /// Returns the line that counts the hidden lines: `PgUp: 3 lines above, PgDn: 7 lines below`.
    private func rest(_ above: Int, _ below: Int) -> DialogBox.Line {
        let sides: [(Int, Action, String)] = [(above, .pageUp, "above"), (below, .pageDown, "below")]
        let parts = sides.compactMap { count, action, side in
            let key = count > 0 ? model.actions.label(of: action, in: .details) : nil
            return key.map { "\($0): \(Strings.count(count, "line")) \(side)" }
        }
        return [.init(model.appearance.safe(parts.joined(separator: ", ")), .dim)]
    }

    private var inside: Int { max(1, min(96, model.size.columns - 4)) }

    private var allLines: [DialogBox.Line] {
        (model.list.current.map(facts) ?? [("", "nothing is here any more")]).flatMap {
            lines($0, width: inside)
        }
    }

    private var keys: [DialogBox.Line] {
        DialogBox.keyRows(
            .details, appearance: model.appearance, width: inside, atMost: model.size.rows < 18 ? 1 : 2,
            omitting: model.list.current?.canBeRetried == true ? [] : [.retry])
    }

    func draw(rows: Range<Int>, in frame: inout Frame) {
        guard let upload = model.list.current else { return }
        let lines = facts(upload).flatMap { self.lines($0, width: model.size.columns - 2) }
        for (line, row) in zip(lines, rows) { frame.put(line, row: row, column: 1) }
    }

    typealias Fact = (label: String, text: String)

    private func lines(_ fact: Fact, width: Int) -> [DialogBox.Line] {
        let text = model.appearance.safe(fact.text)
        let room = max(0, width - Self.labelWidth)
        let ellipsis = model.appearance.glyphs.ellipsis
        let shown: [SafeText] =
            switch fact.label {
            // The end of a path or URL is more useful than its beginning.
            case "from", "to", "URL": [text.truncatedAtStart(to: room, ellipsis: ellipsis)]
            // The user must be able to read the error and the next step.
            case "error", "next", "answer": text.wrapped(to: room, lines: Self.lineLimit, ellipsis: ellipsis)
            case "speed", "parts": [text.truncated(to: room, ellipsis: ellipsis)]
            default: text.wrapped(to: room, lines: 2, ellipsis: ellipsis)
            }
        return shown.enumerated().map { index, text in
            let label = Strings.padded(index == 0 ? fact.label : "", Self.labelWidth)
            return [
                .init(model.appearance.safe(label), .dim),
                .init(text, fact.label == "error" ? .warning : .dialog),
            ]
        }
    }

    private static let lineLimit = 4

    private static let labelWidth = 10

    func facts(_ upload: Upload) -> [Fact] {
        var facts: [Fact] = []
        if upload.isUncertain {
            // The user must decide, and a small screen shows only a few facts.
            facts = [("error", Uncertainty.happened), ("next", Uncertainty(actions: model.actions).next)]
        } else if let failure = upload.failure {
            facts.append(("error", RowAppearance.sentence(failure, of: upload)))
            if let hint = RowAppearance.hint(failure, of: upload) { facts.append(("next", hint)) }
        }
        let always: KeyValuePairs<String, String?> = [
            "from": upload.path.text, "to": "\(upload.target.destinationText): \(upload.target.name)",
            "protocol": Self.protocolText(upload), "state": state(upload), "batch": upload.batch,
            "sent": sent(upload), "on server": held(upload), "speed": speed(upload), "limit": limit(upload),
            "parts": parts(upload), "expires": expiry(upload),
            "attempts": Self.tries(upload.tries),
        ]
        facts += always.compactMap { label, text in text.map { (label, $0) } }
        if case .done(let receipt, _) = upload.state { facts += Self.outcome(receipt, of: upload) }
        if upload.mayBeDuplicate {
            facts.append(("twice", "possible duplicate: sent again without an answer"))
        }
        if let failure = upload.failure, upload.isUncertain {
            facts.append(("answer", RowAppearance.sentence(failure, of: upload)))
        }
        return facts
    }

    private func parts(_ upload: Upload) -> String? {
        upload.resource?.parts.map { parts in
            let strip = model.appearance.glyphs.parts(parts, width: Self.stripWidth)
            return "\(strip)\(Strings.parts(parts)) on server"
        }
    }

    private func expiry(_ upload: Upload) -> String? {
        upload.resource?.expires.map { expires in
            let wait = Strings.wait(expires.timeIntervalSince(model.clock.date))
            return "the server deletes the unfinished upload \(wait)"
        }
    }

    /// Returns all limits of an upload that is due or scheduled: `2 MiB/s until 18:00 for uploads to films`.
    private func limit(_ upload: Upload) -> String? {
        guard upload.isDue || upload.isScheduled else { return nil }
        let limits = model.status.limits.filter { $0.bandwidth != .unlimited && $0.scope.has(upload) }
        guard !limits.isEmpty else { return nil }
        return limits.map { limit in
            let text = limit.text(at: model.clock.date, in: model.appearance.zone)
            return "\(text) for \(limit.scope.text)"
        }.joined(separator: "; ")
    }

    /// Returns `5.1 MiB/s now, 4.7 MiB/s in this attempt, 00:01 left`, with a graph of the last 15 or 30 seconds.
    private func speed(_ upload: Upload) -> String? {
        let estimate = model.live.estimates[upload.id]
        guard let live = model.live.progress[upload.id], let rate = estimate.rate else { return nil }
        var parts = ["\(ByteFormat.rate(rate)) now"]
        if let mean = live.mean { parts.append("\(ByteFormat.rate(mean)) in this attempt") }
        parts.append("\(Strings.remaining(estimate.remaining)) left")
        let graph = Graph(
            live.history.seconds.values, width: Self.sparkWidth, height: 1, style: model.appearance.graph)
        let spark = graph.lines.first.map { $0.drop { $0 == " " } } ?? ""
        return parts.joined(separator: ", ") + (spark.isEmpty ? "" : "  \(spark)")
    }

    private static let sparkWidth = 30
    private static let stripWidth = 32

    /// Returns the protocol's name, and why `auto` chose it: `tus, because the server says Tus-Version 1.0.0`.
    private static func protocolText(_ upload: Upload) -> String {
        if let choice = upload.resource?.choice { return choice.sentence }
        let name = upload.protocolName
        if name == AutoUpload.name { return "auto; detected when it starts" }
        return name + (upload.target.protocolName == AutoUpload.name ? ", chosen by auto" : "")
    }

    private func state(_ upload: Upload) -> String {
        var kind = upload.state.kind
        if case .running = upload.state, model.isEngineGone {
            kind = "was running when the engine ended; resumes when an engine runs"
        }
        let start = Strings.start(of: upload, in: model).map { "starts \($0)" }
        return Strings.joined(
            [kind, start, upload.target.existing.map { "ifExists \($0.rawValue)" }], by: "; ")
    }

    /// Returns the sent bytes of the running attempt that are not confirmed: `12 MiB of 40 MiB (30%)`.
    private func sent(_ upload: Upload) -> String? {
        guard let sample = model.live.progress[upload.id]?.sample, sample.phase.hasBegun,
            sample.sent > max(upload.confirmed, sample.confirmed)
        else { return nil }
        return Self.share(sample.sent, of: upload.size)
    }

    private func held(_ upload: Upload) -> String? {
        if case .done = upload.state { return nil }
        if upload.isUncertain { return "unknown: all of \(ByteFormat.sentence(upload.size)) or nothing" }
        let sample = model.live.progress[upload.id]?.sample
        let confirmed = max(upload.confirmed, sample?.confirmed ?? 0)
        let size = ByteFormat.sentence(upload.size)
        guard confirmed > 0 else {
            // Many servers report the stored bytes only on request, or once the file is complete.
            if sample?.phase.hasBegun == true { return "unknown until the server reports it" }
            guard upload.resource != nil, upload.canResume else { return "0 B of \(size)" }
            let sent = model.live.reached[upload.id].map {
                "; \(ByteFormat.sentence($0)) of \(size) were sent"
            }
            return "unknown; the server is asked on resume\(sent ?? "")"
        }
        return Self.share(confirmed, of: upload.size)
    }

    private static func share(_ part: ByteCount, of size: ByteCount) -> String {
        "\(ByteFormat.sentence(part)) of \(ByteFormat.sentence(size)) (\(Strings.percent(part, of: size))%)"
    }

    private static func tries(_ tries: Upload.Tries) -> String? {
        guard tries.attempts > 0 else { return nil }
        var text = Strings.count(tries.attempts, "attempt")
        if tries.resumes > 0 { text += ", resumed \(Strings.count(tries.resumes, "time"))" }
        if tries.resent > 0 { text += ", \(ByteFormat.sentence(tries.resent)) sent again" }
        return text
    }

    private static func outcome(_ receipt: Receipt, of upload: Upload) -> [Fact] {
        // A missing checksum is not an error.
        let unverified =
            upload.canBeVerified
            ? "the server reported no checksum" : "\(upload.protocolName) has no checksums"
        let facts: KeyValuePairs<String, String?> = [
            "sent": receipt.wasThere ? "nothing: it was there already" : nil,
            "verified": receipt.verified.map { "by the server, with \($0.shown)" } ?? "no: \(unverified)",
            "URL": receipt.location, "file": receipt.source.map { "\($0.rawValue) while it was sent" },
        ]
        return facts.compactMap { label, text in text.map { (label, $0) } }
    }
}
