import ArgumentParser
import FerryProtocols
import FerryUploads

struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Queue files.",
        discussion: """
            Files upload while `ferry` or `ferry run` is running. Files already queued or uploaded there unchanged are left out.

              ferry add film.mov --to tus+https://uploads.example.org/files/
              ferry add --recursive ~/out/day3 --to films
              find . -name '*.mov' -print0 | ferry add -0 --to films
            """)

    @Argument(
        help: "Files, patterns, or folders with --recursive; - reads paths from standard input.",
        completion: .file())
    var paths: [String] = []

    @Option(
        help: ArgumentHelp(
            "A destination's name, or an address: https://host/folder/ (the protocol is detected), https://host/file (PUT), tus+https://host/files/, s3://bucket/folder/ or \(UploadAddress.socketExample).",
            valueName: "destination"),
        completion: ShellCompletion.destinations)
    var to: String?

    @Option(help: ArgumentHelp("The name of a single file at the server.", valueName: "name"))
    var `as`: String?

    @Option(
        name: .customLong("field"),
        help: ArgumentHelp("A form parameter or metadata, K=V; may be repeated.", valueName: "K=V"))
    var fields: [String] = []

    @Option(
        help:
            "What to do if the name exists at the server: skip (if the file is the same), replace, rename or fail.",
        completion: .list(ExistingFilePolicy.allCases.map(\.rawValue)),
        transform: { try choice($0) { "'\($0)' is not one of \($1)." } })
    var ifExists: ExistingFilePolicy?

    @Flag(name: [.short, .long], help: "Add everything in folders, except hidden names and symbolic links.")
    var recursive = false

    @Flag(
        name: [.customShort("0"), .long],
        help: "Read paths from standard input, each ended by a NUL byte (find -print0).")
    var null = false

    @Option(
        help: ArgumentHelp(
            "Skip files modified more recently than this; they may still be written: \(DurationArgument.forms).",
            valueName: "time"))
    var minAge = DurationArgument(seconds: 0)

    @Flag(help: "Send files again that are queued or uploaded there unchanged.") var again = false

    @Flag(
        help: ArgumentHelp(
            "Also leave out files that are queued in another version.",
            discussion:
                "Files already queued or uploaded there unchanged are left out anyway, unless --again is given, so the same command can run again. Failed ones are left out too, with a note: `ferry retry` tries them again."
        ))
    var skipQueued = false

    @Flag(
        help: ArgumentHelp(
            "Also add private keys found in folders.",
            discussion:
                "By default id_rsa and similar files, and *.pem, *.key and *.ppk with a private key, are left out of folders, with a note. A file given by name is always added."
        ))
    var includeKeys = false

    @Flag(
        name: [.short, .long],
        help: "Do not ask before more than \(AddQuestion.limit) files are added from a terminal.")
    var yes = false

    @OptionGroup var plan: PlanOptions

    @Flag(help: "Only show what would be added.") var dryRun = false

    @Flag(help: "One JSON object for each file.") var json = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try require(
            !paths.isEmpty || null, "Which files? Give their paths, or - for a list on standard input.")
        try require(
            !null || paths.isEmpty || paths == ["-"],
            "With -0 the paths come on standard input; give none here.")
        try require(
            paths == ["-"] || !paths.contains("-"), "Give paths, or - alone; a file of that name is ./-")
        try require(!again || !skipQueued, "Give --again or --skip-queued, not both.")
    }

    func run() async throws {
        let now = Date()
        let moment = try plan.moment(now: now)
        let assembly = try global.assembly()
        let destination = try assembly.destination(to)
        let report = AddReport(isJSON: json)
        let (new, problems) = try newUploads(
            for: destination, start: plan.condition(at: moment, now: now), report,
            past: json ? plan.pastRemark(of: moment, now: now) : nil)
        let access = QueueAccess(assembly: .success(assembly), state: global.stateFolder)
        var sorted = SortedFiles(new, known: try await known(new, access))
        guard json || dryRun || yes || AddQuestion(sorted.chosen, to: destination).userAgrees else {
            throw ExitCode(1)
        }
        var isPaused = false
        if dryRun {
            for upload in sorted.chosen { report.wouldAdd(upload) }
        } else {
            isPaused = try await add(&sorted, access, report)
        }
        for (upload, same) in sorted.known { report.skipped(upload, known: same) }
        report.sum(
            sorted, to: destination, problems: problems, dryRun: dryRun,
            remarks: sorted.chosen.isEmpty ? [] : plan.remarks(at: moment, now: now, isPaused: isPaused))
        report.failedBefore(sorted.known.map(\.same).filter(\.hasFailed).map(\.id))
        if !sorted.known.isEmpty, !skipQueued { report.knownBefore() }
        if problems > 0 { throw ExitCode(1) }
    }

    /// Finds the files, and reports those that cannot be added and the remark `past`.
    ///
    /// - Returns: The new uploads, and the number of files that cannot be added.
    private func newUploads(
        for destination: Destination, start: Upload.StartCondition?, _ report: AddReport, past: String?
    ) throws -> ([NewUpload], problems: Int) {
        let selection = try find()
        if let past { StandardError.note(past) }
        for problem in selection.problems { report.skipped(problem) }
        if selection == FileSelection() { report.nothingFound(inList: null || paths == ["-"]) }
        if self.as == nil { report.changed(names: selection.changedNames) }
        let new = try NewUploads.make(
            selection, for: destination, name: self.as, parameters: try parameters(), existing: ifExists,
            batch: plan.batch, start: start)
        return (new, selection.problems.count)
    }

    private func find() throws(CommandFailure) -> FileSelection {
        let areListed = null || paths == ["-"]
        let paths =
            areListed
            ? try PathInput(separator: null ? .null : .line).read()
            : LocalFiles.argumentPaths(paths).map(\.absolute)
        let search = FileSearch(
            isRecursive: recursive, minimumAge: minAge.seconds, isLiteral: areListed,
            includesKeys: includeKeys && !areListed)
        let waiting = WaitLine.start("looking for the files")
        defer { waiting?.end() }
        return search.find(paths)
    }

    /// Adds the chosen files and reports each. Moves files that the queue already contains to `files.known`.
    ///
    /// - Returns: True if an added upload is paused, because its batch is.
    private func add(
        _ files: inout SortedFiles, _ access: QueueAccess, _ report: AddReport
    ) async throws(CommandFailure) -> Bool {
        guard !files.chosen.isEmpty else { return false }
        let new = files.chosen
        let ids: [Upload.ID]
        let isPaused: Bool
        switch try await access.perform(again ? .add(new) : skipQueued ? .addMissing(new) : .addNew(new)) {
        case .changed(let added): (ids, isPaused) = (added, false)
        case .addedPaused(let added): (ids, isPaused) = (added, true)
        case .uploads, .limits, .reversed, .undoable, .refused: (ids, isPaused) = ([], false)
        }
        if ids.count == new.count {
            for (id, upload) in zip(ids, new) { report.added(upload, id) }
        } else if case .uploads(let queued) = try await access.perform(.find(new)) {
            let ours = Set(ids)
            let added = DuplicateFilter(queued.filter { ours.contains($0.id) })
            files.leaveOut(DuplicateFilter(queued.filter { !ours.contains($0.id) }, match: match)) {
                added.upload(of: $0) == nil
            }
            for upload in files.chosen {
                if let same = added.upload(of: upload) { report.added(upload, same.id) }
            }
        }
        return isPaused
    }

    private var match: DuplicateFilter.Match { skipQueued ? .inAnyVersion : .inSameVersion }

    /// Returns the earlier uploads with which `new` is compared: those in the history and, with `--dry-run`, in the
    /// queue, which otherwise compares by itself. With `--again` there are none.
    private func known(
        _ new: [NewUpload], _ access: QueueAccess
    ) async throws(CommandFailure) -> DuplicateFilter {
        var known = DuplicateFilter([], match: match)
        guard !again, !new.isEmpty else { return known }
        do throws(JournalError) { known.add(try UploadHistory.read(inFolder: global.stateFolder)) } catch {
            // If the history cannot be read, a file may be sent twice. That is better than not to send it.
            StandardError.note("earlier uploads are unknown: \(error.summary)")
        }
        if dryRun, case .uploads(let queued) = try await access.perform(.find(new)) { known.add(queued) }
        return known
    }

    private func parameters() throws(UploadFailure) -> [UploadItem.Parameter] {
        var parameters: [UploadItem.Parameter] = []
        for field in fields {
            guard let equals = field.firstIndex(of: "="), equals != field.startIndex else {
                throw UploadFailure(
                    .permanent, "--field \(field) is not K=V", hint: "for example --field album=May")
            }
            parameters.append(
                .init(name: String(field[..<equals]), value: String(field[field.index(after: equals)...])))
        }
        return parameters
    }
}

/// The files that the user named: `chosen` to add, and `known` that the queue or the history already contains.
struct SortedFiles {
    private(set) var chosen: [NewUpload] = []
    private(set) var known: [(new: NewUpload, same: Upload)] = []

    init(_ new: [NewUpload], known uploads: DuplicateFilter) {
        chosen = new
        leaveOut(uploads) { _ in true }
    }

    /// Moves the chosen files that `uploads` contains, and for which `mayBe` returns true, to `known`.
    mutating func leaveOut(_ uploads: DuplicateFilter, where mayBe: (NewUpload) -> Bool) {
        guard !uploads.isEmpty else { return }
        var left: [NewUpload] = []
        for new in chosen {
            if mayBe(new), let same = uploads.upload(of: new) {
                known.append((new, same))
            } else {
                left.append(new)
            }
        }
        chosen = left
    }
}

extension [NewUpload] {
    /// The sum of the sizes of the files; `ByteCount.max` on overflow.
    var bytes: ByteCount { reduce(0) { .sum($0, $1.identity.size) } }
}

/// The question that `ferry add` asks before it adds many files. A folder may contain more files than the user expects.
struct AddQuestion {
    static let limit = 1000

    /// The text of the question; nil if the files are few enough to need no question.
    let text: String?

    init(_ new: [NewUpload], to destination: Destination) {
        let size = ByteFormat.sentence(new.bytes)
        let goal = SafeLine.text(destination.shownName)
        text = new.count > Self.limit ? "Add \(new.count) files, \(size), to \(goal)?" : nil
    }

    /// Asks the question and returns true if the user agrees, or if there is no question or no terminal.
    var userAgrees: Bool {
        text.map { Confirmation(question: $0, refusal: "nothing was added").userAgrees } ?? true
    }
}
