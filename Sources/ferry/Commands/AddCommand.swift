import ArgumentParser
import Foundation
import Transfer
import UploadProtocols
import Uploads

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
        help:
            "A destination's name, or an address such as https://host/folder/ (it says how it is uploaded to), https://host/file (by PUT), tus+https://host/files/, s3://bucket/folder/ or \(UploadAddress.socketExample)."
    )
    var to: String?

    @Option(help: "The name a single file gets at the server.")
    var `as`: String?

    @Option(name: .customLong("field"), help: "A form parameter or metadata, K=V; may be repeated.")
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
            "Leave out files that changed less than so many seconds ago: they may still be written.",
            valueName: "seconds"))
    var minAge = 0.0

    @Flag(
        help: ArgumentHelp(
            "Leave out what the queue has already, and what was uploaded there in this version.",
            discussion: "So that the same command can be given again, by cron or by hand."))
    var skipQueued = false

    @Flag(help: "Only show what would be added.")
    var dryRun = false

    func validate() throws {
        guard (0...1e9).contains(minAge) else {
            throw ValidationError("--min-age is a number of seconds, 0 or more.")
        }
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
        let assembly = try global.assembly()
        let destination: Destination
        do throws(UploadFailure) {
            destination = try assembly.destination(to)
        } catch {
            throw CommandFailure(usage: error)
        }
        let selection = try find()
        for problem in selection.problems {
            StandardError.write(
                "skipped: \(SafeLine.text(problem.path.text)): \(SafeLine.text(problem.reason))\n")
        }
        let new: [NewUpload]
        do throws(UploadFailure) {
            new = try NewUploads.make(
                selection, for: destination, name: self.as, parameters: try parameters(), existing: ifExists)
        } catch {
            throw CommandFailure(usage: error)
        }
        let chosen = skipQueued ? try await missing(new, assembly) : new
        if dryRun {
            for upload in chosen {
                print(
                    "\(ByteFormat.compact(upload.identity.size))  \(SafeLine.text(upload.path.text)) -> \(SafeLine.text(upload.target.name))"
                )
            }
        }
        let count = dryRun ? chosen.count : try await add(chosen, assembly)
        let total = chosen.reduce(ByteCount(0)) { sum, upload in
            let (total, overflow) = sum.addingReportingOverflow(upload.identity.size)
            return overflow ? .max : total
        }
        let place = destination.name.isEmpty ? destination.url : destination.name
        let known = new.count - count
        print(
            "\(dryRun ? "would add" : "added") \(count) \(count == 1 ? "file" : "files"), "
                + "\(ByteFormat.sentence(total)), to \(SafeLine.text(place))"
                + (known > 0 ? "; \(known) known already" : "")
                + (selection.problems.isEmpty ? "" : "; \(selection.problems.count) left out"))
        if new.isEmpty || !selection.problems.isEmpty { throw ExitCode(1) }
    }

    private func find() throws(CommandFailure) -> FileSelection {
        guard null || paths == ["-"] else {
            return FileSearch(isRecursive: recursive, minimumAge: minAge).find(
                LocalFiles.argumentPaths(paths).map(Self.absolute))
        }
        let listed = try PathInput(separator: null ? .null : .line).read()
        return FileSearch(isRecursive: recursive, minimumAge: minAge, isLiteral: true).find(listed)
    }

    /// - Returns: How many of `new` the queue took.
    private func add(_ new: [NewUpload], _ assembly: Assembly) async throws(CommandFailure) -> Int {
        guard !new.isEmpty else { return 0 }
        let access = QueueAccess(assembly: assembly, state: global.stateFolder)
        guard case .changed(let ids) = try await access.perform(skipQueued ? .addMissing(new) : .add(new))
        else { return 0 }
        return ids.count
    }

    /// Without what was uploaded there before in this version, or is in the queue.
    private func missing(_ new: [NewUpload], _ assembly: Assembly) async throws(CommandFailure) -> [NewUpload]
    {
        let access = QueueAccess(assembly: assembly, state: global.stateFolder)
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
        guard case .uploads(let queued) = try await access.perform(.list) else { return new }
        var known = KnownUploads(queued)
        known.add(past)
        return new.filter { !known.contains($0) }
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
    /// - Throws: `UploadFailure` (`permanent`) if several files would get the same address, or the protocol cannot do
    ///   what is asked.
    static func make(
        _ selection: FileSelection, for destination: Destination, name: String? = nil,
        parameters: [UploadItem.Parameter] = [], existing: ExistingFilePolicy? = nil
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
        let protocolName =
            destination.protocolName == AutoUpload.name
            ? ProtocolChoice.told(by: destination.url)?.name : destination.protocolName
        let fillsPlace =
            protocolName.flatMap { ProtocolCatalog.entry(named: $0) }?.traits.fillsPlace ?? false
        if fillsPlace, selection.files.count > 1,
            !UploadAddress.tellsNamesApart(destination.url)
        {
            throw UploadFailure(
                .permanent, "\(selection.files.count) files would replace each other at \(destination.url)",
                hint: "end the address with a slash, or put {name} where the name goes")
        }
        return selection.files.map { file in
            NewUpload(
                path: file.path, identity: file.identity,
                target: destination.target(
                    name: name ?? file.relativeName, fields: parameters, existing: existing))
        }
    }
}
