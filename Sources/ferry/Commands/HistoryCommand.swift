import ArgumentParser
import FerryProtocols
import FerryUploads
import Foundation

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show what has been uploaded, the newest first.",
        discussion: """
            Uploads are here once they are done, and when they are removed after they failed. The newest done ones \
            are in `ferry list` too. No rate is told of what took less than 0.05 seconds, was there already, or went on \
            from where an earlier attempt had stopped.
            """)

    @Flag(help: "One JSON object a line.") var json = false
    @Option(help: "At most so many.") var limit = 100

    @Option(
        help: ArgumentHelp(
            "Only since so long ago, as 2d or 1h30m, since a day, as 2026-05-31, or since 2026-05-31T18:00:00Z.",
            valueName: "moment"))
    var since: PastMoment?
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit is a number above 0.") }
    }

    func run() async throws {
        try global.checkFolder()
        let entries: [HistoryEntry]
        do throws(JournalError) {
            let directory = try StateDirectory(reading: global.stateFolder)
            entries =
                try directory.map { directory throws(JournalError) in
                    try UploadHistory.read(in: directory, limit: limit, since: since?.date(now: Date()))
                } ?? []
        } catch {
            throw CommandFailure(error)
        }
        for entry in entries { print(json ? JSONLine.text(FinishedLine(entry)) : Self.line(entry)) }
        if !entries.isEmpty, !json { print(HistoryReport(entries).line) }
        if entries.isEmpty, !json {
            StandardError.write("Nothing has been uploaded \(since == nil ? "yet" : "since then").\n")
        }
    }

    /// Bytes of the file a second; nil for what was so short that it says nothing, and for what earlier attempts had begun.
    private static func rate(of upload: Upload) -> String? {
        guard case .done(let receipt, _) = upload.state, receipt.duration >= 0.05, !receipt.wasThere,
            upload.size > 0, upload.tries.resumes == 0
        else { return nil }
        return ByteFormat.rate(Double(upload.size) / receipt.duration)
    }

    static func line(_ entry: HistoryEntry) -> String {
        let upload = entry.upload
        let columns = [
            // As --since takes it.
            entry.at.formatted(
                Date.ISO8601FormatStyle(timeZone: .current).year().month().day().dateSeparator(.dash)
                    .time(includingFractionalSeconds: false)),
            UploadText.padded(entry.outcome.rawValue, 7),
            UploadText.padded(ByteFormat.compact(upload.size), 5, right: true),
            UploadText.padded(rate(of: upload) ?? "", 9, right: true),
            UploadText.named(upload),
        ]
        return columns.joined(separator: "  ")
            + UploadText.bracketed([UploadText.newName(upload), UploadText.remark(upload)])
    }
}

/// What some entries of the history come to.
struct HistoryReport {
    private var files = 0
    private var bytes: ByteCount = 0
    private var resent: ByteCount = 0
    private var removed = 0

    init(_ entries: [HistoryEntry]) {
        for entry in entries { add(entry) }
    }

    private mutating func add(_ entry: HistoryEntry) {
        resent = Self.sum(resent, entry.upload.tries.resent)
        switch entry.outcome {
        case .done:
            files += 1
            bytes = Self.sum(bytes, entry.upload.size)
        case .removed: removed += 1
        }
    }

    /// `12 files, 3.4 GB; 1.2 MB sent again; 1 removed`.
    var line: String {
        let sums = [
            "\(files) \(files == 1 ? "file" : "files"), \(ByteFormat.sentence(bytes))",
            resent > 0 ? "\(ByteFormat.sentence(resent)) sent again" : nil,
            removed > 0 ? "\(removed) removed" : nil,
        ]
        return sums.compactMap { $0 }.joined(separator: "; ")
    }

    private static func sum(_ left: ByteCount, _ right: ByteCount) -> ByteCount {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }
}
