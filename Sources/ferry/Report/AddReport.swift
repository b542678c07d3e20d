import FerryProtocols
import FerryTransfer
import FerryUploads

/// The output of `ferry add`: lines about files that cannot be added and totals or, with `--json`, a line for each
/// file. Notes go to standard error, with `--json` too.
struct AddReport {
    let isJSON: Bool

    func skipped(_ problem: FileSelection.Problem) {
        if isJSON { return print(SkippedLine(problem).json) }
        StandardError.write(
            "skipped: \(SafeLine.text(problem.path.text)): \(SafeLine.text(problem.advice))\n")
    }

    func skipped(_ new: NewUpload, known upload: Upload) {
        if isJSON { print(SkippedLine(new, known: upload).json) }
    }

    func nothingFound(inList isList: Bool) {
        StandardError.note(
            isList ? "the list on standard input is empty" : "there are no files in what was named")
    }

    func changed(names count: Int) {
        guard count > 0 else { return }
        let (names, they) = count == 1 ? ("a name is", "it has") : ("\(count) names are", "they have")
        StandardError.note("\(names) not UTF-8: at the server \(they) \u{FFFD} for what cannot be read")
    }

    func failedBefore(_ ids: [Upload.ID]) {
        guard !ids.isEmpty else { return }
        let numbers = ids.count <= 10 ? ids.map { "\($0)" }.joined(separator: " ") : "NUMBER…"
        let (have, them) = ids.count == 1 ? ("has", "it") : ("have", "them")
        StandardError.note(
            "\(ids.count) of what is left out \(have) failed: `ferry retry \(numbers)` tries \(them) again")
    }

    func wouldAdd(_ new: NewUpload) {
        if isJSON { return print(AddedLine(new, id: nil).json) }
        let (path, name) = (SafeLine.text(new.path.text), SafeLine.text(new.target.name))
        print("\(ByteFormat.compact(new.identity.size))  \(path) -> \(name)")
    }

    func added(_ new: NewUpload, _ id: Upload.ID) {
        if isJSON { print(AddedLine(new, id: id).json) }
    }

    func knownBefore() {
        if !isJSON {
            StandardError.note("what is queued or uploaded unchanged is left out; `--again` sends it again")
        }
    }

    /// Prints the totals in one line, which ends with `remarks`. Prints nothing with `--json`.
    ///
    /// - Parameter problems: The number of files that cannot be added.
    func sum(
        _ files: SortedFiles, to destination: Destination, problems: Int, dryRun: Bool, remarks: [String]
    ) {
        guard !isJSON else { return }
        let count = files.chosen.count
        print(
            "\(dryRun ? "would add" : "added") \(count) \(count == 1 ? "file" : "files"), "
                + "\(ByteFormat.sentence(files.chosen.bytes)), to \(SafeLine.text(destination.shownName))"
                + (files.known.isEmpty ? "" : "; \(Self.known(files.known.map(\.same)))")
                + (problems > 0 ? "; \(problems) skipped" : "")
                + remarks.map { "; \(SafeLine.text($0))" }.joined())
    }

    /// Returns a text such as `3 left out: 2 already uploaded, 1 already in the queue`, or `2 left out: failed before`.
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

extension Destination {
    /// The name, or the URL if the destination has no name.
    var shownName: String { name.isEmpty ? url : name }
}

extension FileSelection.Problem {
    /// The reason why the file cannot be added, and the option of `ferry add` or the step that helps.
    var advice: String {
        switch cause {
        case .folder: "\(reason); add --recursive"
        case .nameTaken: "\(reason); add it with --as"
        case .permission: "\(reason); \(SourceFile.permissionAdvice)"
        case .other: reason
        }
    }
}
