import ArgumentParser
import FerryProtocols
import FerryTUI
import FerryUploads
import Foundation

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the queue.",
        discussion: """
            On a terminal a table that fits its width; elsewhere a whole line for each upload, which nothing shortens.

              ferry list --state failed,held
              ferry list --batch day3 --json
            """)

    @Option(
        name: .customLong("state"),
        help: ArgumentHelp(
            "Only what is in this state: \(ListCommand.states). Several with commas, or given again.",
            valueName: "state"),
        completion: .list(UploadRecordLine.states))
    var filters: [String] = []

    @Option(help: ArgumentHelp("Only what was added to the batch of this name.", valueName: "name"))
    var batch: String?

    @Flag(help: "Whole names, addresses and errors, also on a terminal.") var long = false
    @Flag(help: "One JSON object a line.") var json = false
    @Flag(help: "ASCII signs only.") var ascii = false
    @OptionGroup var global: LocationOptions<NewStateFolderNames>

    private static let states = UploadRecordLine.states.joined(separator: ", ")

    mutating func validate() throws {
        // Before there was a filter, --state named the folder: a script that says so means it still.
        if let last = filters.last, !last.split(separator: ",").allSatisfy(Self.isState), global.state == nil,
            last.contains("/") || LocalFiles.mode(of: LocalFiles.expanded(last)) != nil
        {
            global.state = last
            filters.removeLast()
        }
        if let wrong = names.first(where: { !Self.isState($0) }) {
            throw ValidationError(
                "There is no state '\(wrong)'; there are \(Self.states). A folder is named with --state-dir.")
        }
    }

    func run() async throws {
        let access = try global.access()
        guard case .uploads(let all) = try await access.perform(.list) else { return }
        let inBatch = try batch.map { name in try Self.uploads(all, in: name) } ?? all
        let states = Set(names.map(String.init))
        let uploads = states.isEmpty ? inBatch : inBatch.filter { states.contains($0.state.kind) }
        show(uploads, sent: access.sent(of: uploads))
        guard !json else { return }
        if uploads.isEmpty {
            StandardError.write(
                all.isEmpty
                    ? "The queue is empty. `ferry add FILE…` fills it.\n"
                    : "None of \(all.count) \(all.count == 1 ? "upload" : "uploads") is \(states.sorted().joined(separator: " or ")).\n"
            )
        }
        tellStatus(access)
    }

    private var names: [Substring] { filters.flatMap { $0.split(separator: ",") } }

    private static func isState(_ name: Substring) -> Bool { UploadRecordLine.states.contains(String(name)) }

    private func show(_ uploads: [Upload], sent: SampledProgress) {
        if json {
            for upload in uploads {
                print(
                    UploadRecordLine(
                        event: "upload", upload, sent: sent.of(upload), estimate: sent.estimate(of: upload)
                    ).text)
            }
        } else if let size = TerminalSize.ofOutput, !long, !uploads.isEmpty {
            let table = ListTable(
                uploads.map { UploadText.row($0, sent: sent.of($0)) }, columns: size.columns,
                isUnicode: !ascii && TerminalSize.isUnicode)
            for line in table.lines { print(line) }
        } else {
            let hasOnePlace = uploads.allSatisfy { $0.target.place == uploads[0].target.place }
            for upload in uploads {
                print(UploadText.line(upload, sent: sent.of(upload), showsPlace: !hasOnePlace))
            }
        }
    }

    private static func uploads(_ all: [Upload], in batch: String) throws(CommandFailure) -> [Upload] {
        let uploads = all.filter { $0.batch == batch }
        guard !uploads.isEmpty else {
            throw CommandFailure(usage: .unknownBatch(batch, known: Set(all.compactMap(\.batch))))
        }
        return uploads
    }

    /// What is true of all of them, if a ferry has them.
    private func tellStatus(_ access: QueueAccess) {
        guard let status = access.engineStatus else { return }
        var watch = StatusWatch()
        for change in watch.take(status) where !change.isPast {
            StandardError.write(Notice(kind: .note, text: change.sentence(in: .current)).line + "\n")
        }
    }
}
