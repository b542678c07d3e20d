import ArgumentParser
import FerryProtocols
import FerryTUI
import FerryUploads

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the queue, with live progress.",
        discussion: """
            On a terminal, prints a table that fits its width; elsewhere, prints each upload on a line of its own, unshortened.

              ferry list --long --state failed,held
              ferry list --batch day3 --json
            """)

    @Option(
        name: .customLong("state"),
        help: ArgumentHelp(
            "Only uploads in this state: \(ListCommand.states). Several with commas, or given again.",
            valueName: "state"),
        completion: .list(UploadRecordLine.states))
    var filters: [String] = []

    @Option(help: ArgumentHelp("Only the uploads of this batch.", valueName: "name")) var batch: String?

    @Flag(help: "Full names, addresses and errors, also on a terminal.") var long = false
    @Flag(help: "ASCII signs only.") var ascii = false
    @Flag(help: "One JSON object a line.") var json = false
    @OptionGroup var global: LocationOptions<NewStateFolderNames>

    private static let states = UploadRecordLine.states.joined(separator: ", ")

    mutating func validate() throws {
        // In earlier versions of this command, --state named the state folder. Older scripts still use this meaning.
        if let last = filters.last, !last.split(separator: ",").allSatisfy(Self.isState), global.state == nil,
            last.contains("/") || LocalFiles.mode(of: LocalFiles.expanded(last)) != nil
        {
            global.state = last
            filters.removeLast()
        }
        if let wrong = names.first(where: { !Self.isState($0) }) {
            throw ValidationError(
                "There is no state '\(wrong)'; there are \(Self.states). A folder is named with --state-dir."
                    + Misspelling.question(on: String(wrong), among: UploadRecordLine.states))
        }
    }

    func run() async throws {
        let access = try global.access()
        let filter = UploadFilter(states: Set(names.map(String.init)), batch: batch)
        let listing = try await access.list(filter)
        if listing.count == 0 { try await explainNone(filter, access) }
        try await show(listing)
        if !json { tellStatus(access) }
    }

    /// Prints why the list is empty. Throws if the batch that the user named does not exist.
    private func explainNone(_ filter: UploadFilter, _ access: QueueAccess) async throws {
        // JSON has no line for an empty list, but a batch that does not exist is an error.
        guard !json || batch != nil else { return }
        var count = batch == nil ? access.engineReport?.counts.total : nil
        if count == nil {
            guard case .uploads(let all) = try await access.perform(.list) else { return }
            if let batch, !all.contains(where: { $0.batch == batch }) {
                throw CommandFailure(usage: .unknownBatch(batch, known: Set(all.compactMap(\.batch))))
            }
            count = all.count
        }
        guard !json, let count else { return }
        StandardError.write(
            count == 0
                ? "the queue is empty; `ferry add FILE…` fills it\n"
                : "no upload is \(filter.states.sorted().joined(separator: " or "))\n")
    }

    private var names: [Substring] { filters.flatMap { $0.split(separator: ",") } }

    private static func isState(_ name: Substring) -> Bool { UploadRecordLine.states.contains(String(name)) }

    private func show(_ listing: UploadListing) async throws {
        var table: ListTable?
        for try await page in listing.pages {
            for line in lines(page, of: listing, &table) { print(line) }
        }
    }

    /// Returns the lines for a page of the listing. On a terminal, the first page makes the table for all.
    private func lines(_ page: [Upload], of listing: UploadListing, _ table: inout ListTable?) -> [String] {
        let sent = listing.sent
        if json {
            return page.map { upload in
                UploadRecordLine(
                    event: "upload", upload, sent: sent.of(upload), estimate: sent.estimate(of: upload)
                ).json
            }
        }
        guard !long, let size = TerminalSize.ofOutput else {
            return page.map {
                UploadText.line($0, sent: sent.of($0), showsPlace: listing.hasSeveralDestinations)
            }
        }
        let rows = page.map { UploadText.row($0, sent: sent.of($0)) }
        if let table { return table.lines(of: rows) }
        let new = listing.table(
            rows, columns: size.columns, isUnicode: !ascii && TerminalSize.isUnicode)
        table = new
        return new.lines
    }

    /// Prints to standard error which problems and limits the running engine has now, such as a lost network.
    private func tellStatus(_ access: QueueAccess) {
        guard let status = access.engineReport?.status else { return }
        var diff = StatusDiff()
        for change in diff.take(status) where !change.isPast {
            StandardError.note(change.sentence(in: .local))
        }
    }
}
