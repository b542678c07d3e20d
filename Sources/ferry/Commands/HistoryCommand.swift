import ArgumentParser
import FerryProtocols
import FerryTUI
import FerryUploads

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show what has been uploaded, the newest first.",
        discussion: """
            The history has done uploads, and failed ones that were removed. The newest done ones \
            are in `ferry list` too. Uploads that took less than 0.05 seconds, were there already, or resumed after \
            an earlier attempt show no rate.

              ferry history --since 2d
              ferry history --limit 10 --json
            """)

    @Option(help: "At most this many entries.") var limit = 100

    @Option(
        help: ArgumentHelp(
            "Only entries since then: 2d, 1h30m, 2026-05-31 or 2026-05-31T18:00:00Z.", valueName: "moment"))
    var since: SinceArgument?
    @Flag(help: "One JSON object a line.") var json = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try require(limit > 0, "--limit is a number above 0.")
    }

    func run() async throws {
        try global.checkFolder()
        let entries = try UploadHistory.read(inFolder: global.stateFolder, limit: limit, since: since?.date)
        for entry in entries { print(json ? FinishedLine(entry).json : Self.line(entry)) }
        if !entries.isEmpty, !json { print(Self.totals(entries)) }
        if entries.isEmpty, !json {
            StandardError.write("nothing has been uploaded \(since == nil ? "yet" : "since then")\n")
        }
    }

    /// Returns the average rate of a done upload as text; nil if it would say nothing about the connection.
    private static func rate(of upload: Upload) -> String? {
        guard case .done(let receipt, _) = upload.state, receipt.duration >= 0.05, !receipt.wasThere,
            upload.size > 0, upload.tries.resumes == 0
        else { return nil }
        return ByteFormat.rate(Double(upload.size) / receipt.duration)
    }

    static func line(_ entry: HistoryEntry) -> String {
        let upload = entry.upload
        let columns = [
            // The option --since accepts this form.
            "\(Strings.day(entry.at, in: .local))T\(Strings.timeOfDay(entry.at, in: .local))",
            UploadText.padded(entry.outcome.rawValue, 7),
            UploadText.padded(ByteFormat.compact(upload.size), 5, right: true),
            UploadText.padded(rate(of: upload) ?? "", 9, right: true), UploadText.named(upload),
        ]
        return columns.joined(separator: "  ")
            + UploadText.bracketed([UploadText.newName(upload), UploadText.remark(upload)])
    }

    /// Returns the totals in one line: `12 files, 3.4 GiB; 1.2 MiB sent again; 1 removed`.
    private static func totals(_ entries: [HistoryEntry]) -> String {
        let done = entries.filter { $0.outcome == .done }
        let bytes = done.reduce(0) { ByteCount.sum($0, $1.upload.size) }
        let resent = entries.reduce(0) { ByteCount.sum($0, $1.upload.tries.resent) }
        let removed = entries.count - done.count
        let sums = [
            "\(done.count) \(done.count == 1 ? "file" : "files"), \(ByteFormat.sentence(bytes))",
            resent > 0 ? "\(ByteFormat.sentence(resent)) sent again" : nil,
            removed > 0 ? "\(removed) removed" : nil,
        ]
        return sums.compactMap { $0 }.joined(separator: "; ")
    }
}
