import FerryProtocols
import FerryTransfer
import FerryUploads

/// The output of `ferry add`. With `--json`, it has a line for each file. Otherwise it has the totals, and a line for
/// each file that cannot be added. A dry run also has a line for each file that would be added.
struct AddReport {
    let isJSON: Bool

    func skipped(_ problem: FileSelection.Problem) {
        if isJSON { return print(JSONLine.text(SkippedLine(problem))) }
        StandardError.write(
            "skipped: \(SafeLine.text(problem.path.text)): \(SafeLine.text(problem.advice))\n")
    }

    /// Prints a line about a file that has an upload already, but only with `--json`. Without `--json`, `sum` prints
    /// the number of these files.
    func skipped(_ new: NewUpload, known upload: Upload) {
        if isJSON { print(JSONLine.text(SkippedLine(new, known: upload))) }
    }

    func nothingFound(inList isList: Bool) {
        note(isList ? "the list on standard input is empty" : "there are no files in what was named")
    }

    /// Prints a note that `count` files have names that are not UTF-8. On the server, their names contain U+FFFD
    /// instead of the invalid bytes. Prints nothing if `count` is 0.
    func changed(names count: Int) {
        guard count > 0 else { return }
        note(
            count == 1
                ? "a name is not UTF-8: at the server it has \u{FFFD} for what cannot be read"
                : "\(count) names are not UTF-8: at the server they have \u{FFFD} for what cannot be read")
    }

    /// Prints a note that some of the left-out files have a failed upload. The note contains the command that retries
    /// these uploads. For more than 10 uploads, the command has a placeholder instead of their numbers. Prints nothing
    /// if `ids` is empty.
    func failedBefore(_ ids: [Upload.ID]) {
        guard !ids.isEmpty else { return }
        let numbers = ids.count <= Self.numbersNamed ? ids.map { "\($0)" }.joined(separator: " ") : "NUMBER…"
        let (have, them) = ids.count == 1 ? ("has", "it") : ("have", "them")
        note(
            "\(ids.count) of what is left out \(have) failed: `ferry retry \(numbers)` tries \(them) again"
        )
    }

    private static let numbersNamed = 10

    /// Prints a note to standard error, with `--json` too: standard output has only lines about files.
    private func note(_ text: String) {
        StandardError.note(text)
    }

    func wouldAdd(_ new: NewUpload) {
        if isJSON { return print(JSONLine.text(AddedLine(new, id: nil))) }
        let (path, name) = (SafeLine.text(new.path.text), SafeLine.text(new.target.name))
        print("\(ByteFormat.compact(new.identity.size))  \(path) -> \(name)")
    }

    func added(_ new: NewUpload, _ id: Upload.ID) {
        if isJSON { print(JSONLine.text(AddedLine(new, id: id))) }
    }

    func knownBefore() {
        if !isJSON { note("what is queued or uploaded unchanged is left out; `--again` sends it again") }
    }

    /// Prints the totals in one line. Prints nothing with `--json`.
    ///
    /// - Parameters:
    ///   - files: The files that were added (with `dryRun`: would be added), and the files that were left out.
    ///   - problems: The number of files that cannot be added.
    ///   - remarks: The texts to add at the end of the line.
    func sum(
        _ files: SortedFiles, to destination: Destination, problems: Int, dryRun: Bool, remarks: [String]
    ) {
        guard !isJSON else { return }
        let count = files.chosen.count
        let target = destination.name.isEmpty ? destination.url : destination.name
        print(
            "\(dryRun ? "would add" : "added") \(count) \(count == 1 ? "file" : "files"), "
                + "\(ByteFormat.sentence(files.bytes)), to \(SafeLine.text(target))"
                + (files.known.isEmpty ? "" : "; \(Self.known(files.known.map(\.same)))")
                + (problems > 0 ? "; \(problems) skipped" : "")
                + remarks.map { "; \(SafeLine.text($0))" }.joined())
    }

    /// Returns the number of left-out files, by the state of their uploads: `3 left out: 2 already uploaded, 1 already
    /// in the queue`. If all uploads have the same state, names the number once: `2 left out: failed before`.
    private static func known(_ uploads: [Upload]) -> String {
        let done = uploads.count { $0.isDone }
        let failed = uploads.count { $0.hasFailed }
        let kinds = [
            (done, "already uploaded"), (uploads.count - done - failed, "already in the queue"),
            (failed, "failed before"),
        ].filter { $0.0 > 0 }
        let parts = kinds.map { kinds.count == 1 ? $0.1 : "\($0.0) \($0.1)" }
        return "\(uploads.count) left out: \(parts.joined(separator: ", "))"
    }
}

extension FileSelection.Problem {
    /// The reason why the file cannot be added, and the option of `ferry add` or the step that solves the problem, if
    /// there is one.
    var advice: String {
        switch cause {
        case .folder: "\(reason); add --recursive"
        case .nameTaken: "\(reason); add it with --as"
        case .permission: "\(reason); \(SourceFile.permissionAdvice)"
        case .other: reason
        }
    }
}
