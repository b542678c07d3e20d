import ArgumentParser
import Foundation
import UploadProtocols
import Uploads

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show what has been uploaded, the newest first.",
        discussion: """
            Uploads are here once they are done, and when they are removed after they failed. The newest done ones \
            are in `ferry list` too.
            """)

    @OptionGroup var global: GlobalOptions
    @Flag(help: "One JSON object a line.") var json = false
    @Option(help: "At most so many.") var limit = 100

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit is a number above 0.") }
    }

    func run() async throws {
        let entries: [HistoryEntry]
        do throws(JournalError) {
            let directory = try StateDirectory(reading: global.stateFolder)
            entries =
                try directory.map { directory throws(JournalError) in
                    try UploadHistory.read(in: directory, limit: limit)
                } ?? []
        } catch {
            throw CommandFailure(error)
        }
        for entry in entries { print(json ? UploadRecordLine(entry).text : Self.line(entry)) }
        if entries.isEmpty, !json { StandardError.write("Nothing has been uploaded yet.\n") }
    }

    static func line(_ entry: HistoryEntry) -> String {
        let upload = entry.upload
        let place = upload.target.destination.isEmpty ? upload.target.url : upload.target.destination
        let columns = [
            entry.at.formatted(
                .iso8601.year().month().day().dateSeparator(.dash).time(includingFractionalSeconds: false)),
            UploadText.padded(entry.outcome.rawValue, 7),
            UploadText.padded(ByteFormat.compact(upload.size), 5, right: true),
            SafeLine.text("\(upload.target.name) -> \(place)"),
        ]
        return columns.joined(separator: "  ") + (UploadText.remark(upload).map { "  (\($0))" } ?? "")
    }
}
