import FerryProtocols
package import FerryUploads

/// The lines at the bottom of a terminal while a command uploads or waits.
package struct LiveLines: Sendable {
    private var model: Model
    /// The sizes of the due uploads (`Upload.isDue`).
    private var due: [Upload.ID: ByteCount] = [:]
    private var bytesDue = Int128(0)
    private var done = 0
    private var bytesDone = Int128(0)

    private static let filesShown = 4
    private static let longestBar = 30

    package init(isUnicode: Bool) {
        model = Model(
            appearance: Appearance(glyphs: Glyphs(isUnicode: isUnicode)), destinations: DestinationNames(),
            clock: Clock(seconds: 0, date: Date()), ownership: .attached)
    }

    /// Sets the time; `seconds` is on a monotonic clock.
    package mutating func advance(to seconds: Double, _ date: Date) {
        _ = model.update(.clock(Clock(seconds: seconds, date: date)))
    }

    package mutating func take(_ update: QueueUpdate) {
        for upload in update.changed { count(upload) }
        for id in update.removed {
            if let size = due.removeValue(forKey: id) { bytesDue -= Int128(size) }
        }
        _ = model.update(.queue(update))
    }

    package mutating func take(_ samples: [ProgressSample]) { _ = model.update(.progress(samples)) }

    /// Moves an upload from `bytesDue` to `bytesDone`. Those that were done from the start do not count.
    private mutating func count(_ upload: Upload) {
        if let size = due.removeValue(forKey: upload.id) {
            bytesDue -= Int128(size)
            if upload.isDone {
                done += 1
                bytesDone += Int128(size)
            }
        }
        guard upload.isDue else { return }
        due[upload.id] = upload.size
        bytesDue += Int128(upload.size)
    }

    /// Returns the lines, each at most `columns` cells wide; none before the queue is read, or below 10 columns. Files
    /// are shown from 10 `rows` on.
    package func lines(columns: Int, rows: Int, hasColour: Bool) -> [LiveLine] {
        guard !model.isLoading, columns >= 10 else { return [] }
        let files = rows >= 10 ? Self.filesShown : 0
        let running = model.table.running.compactMap { model.table[$0] }.sorted { $0.rank < $1.rank }
        return [total(columns: columns, hasColour: hasColour), plain(counts, columns)]
            + running.prefix(files).map { file($0, columns) }
    }

    private func total(columns: Int, hasColour: Bool) -> LiveLine {
        let all = bytesDone + bytesDue
        let sent = max(0, min(all, all - max(0, model.bytesLeft)))
        let share = all > 0 ? Double(sent) / Double(all) : due.isEmpty ? 1 : 0
        let percent = sent >= all && !due.isEmpty ? 99 : Int(share * 100)
        var parts = ["\(min(100, percent))%", "\(ByteFormat.sentence(sent)) of \(ByteFormat.sentence(all))"]
        if model.isOffline {
            parts.append("offline")
        } else if !model.table.running.isEmpty {
            if let rate = model.live.estimates.total.rate { parts.append(ByteFormat.rate(rate)) }
            if let left = model.live.estimates.total.remaining {
                parts.append("ETA \(Strings.remaining(left))")
            }
        }
        // A part that does not fit is dropped as a whole, because a cut number would be wrong; the amounts first.
        func text() -> String { parts.joined(separator: "  ") }
        if text().count + 8 > columns, parts.count > 2 { parts.remove(at: 1) }
        while text().count > columns, parts.count > 1 { parts.removeLast() }
        let width = min(Self.longestBar, columns - text().count - 2)
        guard width >= 5 else { return plain(text(), columns) }
        let bar = model.appearance.glyphs.bar(share, width: width)
        let coloured =
            hasColour
            ? "\u{1B}[32m\(bar.full)\u{1B}[0m\u{1B}[2m\(bar.rest)\u{1B}[0m" : bar.full + bar.rest
        return LiveLine(text: "\(coloured)  \(text())", width: width + 2 + text().count)
    }

    private var counts: String {
        let waiting = model.table.waiting.count + model.table.offline.count
        let parts = [
            (model.table.running.count, "running"), (model.table.count(.queued), "queued"),
            (waiting, "waiting"),
            (done, "done"), (model.table.count(.failed), "failed"),
        ].filter { $0.0 > 0 }.map { "\(Strings.count($0.0)) \($0.1)" }
        return parts.isEmpty ? "nothing to upload" : parts.joined(separator: ", ")
    }

    private func file(_ upload: Upload, _ columns: Int) -> LiveLine {
        let live = model.live.progress[upload.id]
        let percent = Strings.percent(live?.sample.sent ?? model.live.stored(upload), of: upload.size)
        let rate = model.live.estimates[upload.id].rate.map { "  \(ByteFormat.rate($0))" } ?? ""
        let facts = "  \(percent)%\(rate)"
        let name = model.appearance.fitted(upload.target.name, to: max(4, columns - facts.count - 2))
        return plain("  \(name.text)\(facts)", columns)
    }

    private func plain(_ text: String, _ columns: Int) -> LiveLine {
        let text = SafeText(own: text).truncated(to: columns, ellipsis: model.appearance.glyphs.ellipsis)
        return LiveLine(text: text.text, width: text.width)
    }
}

/// A line of text that can contain colour sequences. `width` is the number of cells that the line takes.
package struct LiveLine: Hashable, Sendable {
    package var text: String
    package var width: Int
}
