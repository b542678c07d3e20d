import FerryProtocols
import FerryUploads

/// The lines of the line mode about the queue and its uploads.
extension Model {
    private static let linesShown = 50
    private static let detailsShown = 20

    /// True if uploads run, are queued, or wait for a retry or the network.
    var hasWork: Bool {
        table.count(.queued) + table.running.count + table.waiting.count + table.offline.count > 0
    }

    /// The first line about the queue: the number of uploads in each tab.
    var overview: String {
        let counts = Tab.allCases.filter { $0 != .all && table.count($0) > 0 }.map { tab in
            "\(Strings.count(table.count(tab))) \(tab.title.lowercased())"
        }
        return counts.isEmpty
            ? "the queue is empty; add PATH adds files" : "in the queue: \(counts.joined(separator: ", "))"
    }

    /// The state of the transfers:
    /// `2 uploads run (7 at 63%, 8 at 8%), 12 wait, 81 GiB left, 18.4 MiB/s, 1 h 13 min to go`.
    var summary: String {
        let running = table.running.count
        var parts = [running == 1 ? "1 upload runs" : "\(Strings.count(running)) uploads run"]
        if (1...4).contains(running) {
            parts[0] += " (\(table.running.sorted().compactMap(share).joined(separator: ", ")))"
        }
        let waiting = table.count(.queued) + table.waiting.count + table.offline.count
        if waiting > 0 { parts.append("\(Strings.count(waiting)) wait\(waiting == 1 ? "s" : "")") }
        parts.append("\(ByteFormat.sentence(max(0, bytesLeft))) left")
        if table.bytesLater > 0 { parts.append("\(ByteFormat.sentence(table.bytesLater)) later") }
        if let rate = live.estimates.total.rate, rate >= 1 { parts.append(ByteFormat.rate(rate)) }
        if let seconds = live.estimates.total.remaining {
            parts.append("\(PlainText.duration(seconds.rounded())) to go")
        }
        return parts.joined(separator: ", ")
    }

    private func share(_ id: Upload.ID) -> String? {
        guard let upload = table[id] else { return nil }
        return
            "\(id) at \(Strings.percent(live.progress[id]?.sample.sent ?? live.stored(upload), of: upload.size))%"
    }

    func list(_ tab: Tab, _ filter: RowFilter) -> [String] {
        guard !table.isEmpty else { return [overview] }
        let fitting = table.uploads(in: tab).filter(filter.fits)
        guard !fitting.isEmpty else { return ["no upload matches"] }
        let lines = fitting.prefix(Self.linesShown).map { PlainText.line($0, in: self) }
        guard fitting.count > lines.count else { return lines }
        let rest = Strings.count(fitting.count - lines.count)
        return lines + ["and \(rest) more; words filter: list failed, list size>1g"]
    }

    func details(of numbers: UploadNumbers) -> [String] {
        let (ids, missing) = numbers.found(among: table.uploads(in: .all).map(\.id))
        var lines = ids.prefix(Self.detailsShown).compactMap { table[$0] }.flatMap(details)
        if ids.count > Self.detailsShown {
            lines.append("and \(Strings.count(ids.count - Self.detailsShown)) more; list has a line for each")
        }
        for range in missing.prefix(Self.detailsShown) {
            lines.append("there is no upload \(UploadNumbers.name(range)); list shows the numbers")
        }
        return lines
    }

    private func details(of upload: Upload) -> [String] {
        let facts = DetailsView(model: self).facts(upload).map { label, text in
            "  \(label): \(label == "next" && upload.isUncertain ? PlainText.next(upload) : text)"
        }
        return [PlainText.line(upload, in: self)] + facts
    }

    func uploads(in selection: UploadSelection) -> [Upload] {
        switch selection {
        case .ids(let ids): ids.compactMap { table[$0] }
        case .numbers(let numbers):
            numbers.found(among: table.uploads(in: .all).map(\.id)).ids.compactMap { table[$0] }
        case .all: Array(table.uploads(in: .all))
        case .failed: Array(table.uploads(in: .failed))
        case .done: Array(table.uploads(in: .done))
        case .batch(let name): table.uploads(in: .all).filter { $0.batch == name }
        }
    }
}
