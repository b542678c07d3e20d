import ArgumentParser
import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation

struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Queue files.",
        discussion: "They upload while `ferry` or `ferry run` is running.")

    @OptionGroup var global: GlobalOptions

    @Argument(
        help: "Files, patterns, or folders with --recursive; - for a list of paths on standard input.",
        completion: .file())
    var paths: [String] = []

    @Flag(
        name: [.customShort("0"), .long],
        help: "Take a list of paths on standard input, each ended by a NUL byte (find -print0).")
    var null = false

    @Option(
        help: ArgumentHelp(
            "A destination's name, or an address such as https://host/folder/ (it says how it is uploaded to), https://host/file (by PUT), tus+https://host/files/, s3://bucket/folder/ or \(UploadAddress.socketExample).",
            valueName: "destination"),
        completion: ShellCompletion.destinations)
    var to: String?

    @Option(help: ArgumentHelp("The name a single file gets at the server.", valueName: "name"))
    var `as`: String?

    @Option(
        name: .customLong("field"),
        help: ArgumentHelp("A form parameter or metadata, K=V; may be repeated.", valueName: "K=V"))
    var fields: [String] = []

    @Option(
        help:
            "What becomes of a file whose place is taken: skip (the same is not sent again), replace, rename or fail.",
        completion: .list(ExistingFilePolicy.allCases.map(\.rawValue)), transform: Self.policy)
    var ifExists: ExistingFilePolicy?

    @Flag(help: "Add everything in folders, except hidden names and symbolic links.")
    var recursive = false

    @Option(
        help: ArgumentHelp(
            "Leave out files that changed less long ago, as they may still be written: \(SecondsOrSpan.forms).",
            valueName: "time"))
    var minAge = SecondsOrSpan(seconds: 0)

    @Flag(
        help: ArgumentHelp(
            "Leave out what the queue has already, and what was uploaded there in this version.",
            discussion:
                "So that the same command can be given again, by cron or by hand. What has failed is left out too, and a note says so: `ferry retry` tries it again."
        ))
    var skipQueued = false

    @OptionGroup var plan: PlanOptions

    @Flag(help: "Only show what would be added.")
    var dryRun = false

    @Flag(help: "One JSON object for each file.")
    var json = false

    func validate() throws {
        guard !paths.isEmpty || null else {
            throw ValidationError("Which files? Give their paths, or - for a list on standard input.")
        }
        guard !null || paths.isEmpty || paths == ["-"] else {
            throw ValidationError("With -0 the paths come on standard input; give none here.")
        }
        guard paths == ["-"] || !paths.contains("-") else {
            throw ValidationError("Give paths, or - alone; a file of that name is ./-")
        }
    }

    func run() async throws {
        let now = Date()
        let moment = try plan.moment(now: now)
        let assembly = try global.assembly()
        let destination: Destination
        do throws(UploadFailure) {
            destination = try assembly.destination(to)
        } catch {
            throw CommandFailure(usage: error)
        }
        let selection = try find()
        let report = AddReport(isJSON: json)
        for problem in selection.problems { report.skipped(problem) }
        if selection == FileSelection() { report.nothingFound(inList: null || paths == ["-"]) }
        if self.as == nil { report.changed(names: selection.changedNames) }
        let new: [NewUpload]
        do throws(UploadFailure) {
            new = try NewUploads.make(
                selection, for: destination, name: self.as, parameters: try parameters(), existing: ifExists,
                batch: plan.batch, start: plan.condition(at: moment, now: now))
        } catch {
            throw CommandFailure(usage: error)
        }
        let access = QueueAccess(assembly: .success(assembly), state: global.stateFolder)
        let known = skipQueued ? try await known(access) : KnownUploads([])
        var chosen: [NewUpload] = []
        var failed: [Upload.ID] = []
        for upload in new {
            if let same = known.upload(of: upload) {
                report.skipped(upload, known: same)
                if same.hasFailed { failed.append(same.id) }
            } else {
                chosen.append(upload)
            }
        }
        let (count, isPaused): (Int, Bool)
        if dryRun {
            for upload in chosen { report.wouldAdd(upload) }
            (count, isPaused) = (chosen.count, false)
        } else {
            (count, isPaused) = try await add(chosen, access, report)
        }
        report.sum(
            chosen, count: count, of: new.count, to: destination, problems: selection.problems.count,
            dryRun: dryRun, remarks: count > 0 ? plan.remarks(at: moment, now: now, isPaused: isPaused) : [])
        report.failedBefore(failed)
        if !selection.problems.isEmpty { throw ExitCode(1) }
    }

    private func find() throws(CommandFailure) -> FileSelection {
        guard null || paths == ["-"] else {
            return FileSearch(isRecursive: recursive, minimumAge: minAge.seconds).find(
                LocalFiles.argumentPaths(paths).map(Self.absolute))
        }
        let listed = try PathInput(separator: null ? .null : .line).read()
        return FileSearch(isRecursive: recursive, minimumAge: minAge.seconds, isLiteral: true).find(listed)
    }

    /// - Returns: How many of `new` the queue took, and whether it keeps them for later as their batch is paused.
    private func add(
        _ new: [NewUpload], _ access: QueueAccess, _ report: AddReport
    ) async throws(CommandFailure) -> (count: Int, isPaused: Bool) {
        guard !new.isEmpty else { return (0, false) }
        let ids: [Upload.ID]
        let isPaused: Bool
        switch try await access.perform(skipQueued ? .addMissing(new) : .add(new)) {
        case .changed(let added): (ids, isPaused) = (added, false)
        case .addedPaused(let added): (ids, isPaused) = (added, true)
        case .uploads, .limits, .reversed, .refused: return (0, false)
        }
        if ids.count == new.count {
            for (id, upload) in zip(ids, new) { report.added(upload, id) }
        } else if json, case .uploads(let queued) = try await access.perform(.list) {
            // Somebody else was adding the same meanwhile.
            let ours = Set(ids)
            let (added, others) = (
                KnownUploads(queued.filter { ours.contains($0.id) }),
                KnownUploads(queued.filter { !ours.contains($0.id) })
            )
            for upload in new {
                if let same = added.upload(of: upload) {
                    report.added(upload, same.id)
                } else if let same = others.upload(of: upload) {
                    report.skipped(upload, known: same)
                }
            }
        }
        return (ids.count, isPaused)
    }

    /// What was uploaded before, and what is in the queue.
    private func known(_ access: QueueAccess) async throws(CommandFailure) -> KnownUploads {
        let past: [HistoryEntry]
        do throws(JournalError) {
            let directory = try StateDirectory(reading: global.stateFolder)
            past =
                try directory.map { directory throws(JournalError) in try UploadHistory.read(in: directory) }
                ?? []
        } catch {
            throw CommandFailure(error)
        }
        // What is done is in the history before it leaves the queue, so nothing falls between the two.
        guard case .uploads(let queued) = try await access.perform(.list) else { return KnownUploads([]) }
        var known = KnownUploads(queued)
        known.add(past)
        return known
    }

    private static func policy(_ text: String) throws -> ExistingFilePolicy {
        guard let policy = ExistingFilePolicy(rawValue: text) else {
            let names = ExistingFilePolicy.allCases.map(\.rawValue)
            throw ValidationError("'\(text)' is not one of \(names.joined(separator: ", ")).")
        }
        return policy
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

    /// The engine may run in another folder than this one.
    private static func absolute(_ path: LocalPath) -> LocalPath {
        if path.bytes.first == UInt8(ascii: "/") { return path }
        return LocalPath(FileManager.default.currentDirectoryPath).appending(path.bytes)
    }
}

/// Turns files that were found into uploads for one destination.
enum NewUploads {
    /// - Parameters:
    ///   - name: What a single file is to be called there.
    ///   - existing: What becomes of files that are there; nil for what the destination says.
    ///   - batch: The group they belong to.
    ///   - start: What must be so before they start.
    /// - Throws: `UploadFailure` (`permanent`) if several files would get the same address, or the protocol cannot do
    ///   what is asked.
    static func make(
        _ selection: FileSelection, for destination: Destination, name: String? = nil,
        parameters: [UploadItem.Parameter] = [], existing: ExistingFilePolicy? = nil, batch: String? = nil,
        start: Upload.StartCondition? = nil
    ) throws(UploadFailure) -> [NewUpload] {
        var options = destination.options
        options.existing = existing ?? options.existing
        if let refusal = ProtocolCatalog.entry(named: destination.protocolName)?.refusal(of: options) {
            throw refusal
        }
        if name != nil, selection.files.count > 1 {
            throw UploadFailure(
                .permanent, "--as names one file and \(selection.files.count) were given",
                hint: "leave --as out, or name one file")
        }
        try check(selection.files.count, for: destination)
        return selection.files.map { file in
            NewUpload(
                path: file.path, identity: file.identity,
                target: destination.target(
                    name: name ?? file.relativeName, fields: parameters, existing: existing),
                batch: batch, start: start)
        }
    }

    /// - Throws: `UploadFailure` (`permanent`) if so many files would get the same address.
    static func check(_ count: Int, for destination: Destination) throws(UploadFailure) {
        let protocolName =
            destination.protocolName == AutoUpload.name
            ? ProtocolChoice.told(by: destination.url)?.name : destination.protocolName
        // What the server says is not known yet: an address without a slash may be one file's.
        let fillsPlace =
            protocolName.flatMap { ProtocolCatalog.entry(named: $0) }?.traits.fillsPlace
            ?? destination.options.isGivenAddress
        guard fillsPlace, count > 1, !UploadAddress.tellsNamesApart(destination.url) else { return }
        throw UploadFailure(
            .permanent, "\(count) files would replace each other at \(destination.url)",
            hint:
                "end the address with a slash, put {name} where the name goes, or name the protocol (tus+http://…)"
        )
    }
}
