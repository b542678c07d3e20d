import FerryProtocols
import FerryTransfer
import FerryUploads

/// What `ferry add` says of each file, and of all.
struct AddReport {
    let isJSON: Bool

    func skipped(_ problem: FileSelection.Problem) {
        if isJSON { return print(JSONLine.text(SkippedLine(problem))) }
        StandardError.write(
            "skipped: \(SafeLine.text(problem.path.text)): \(SafeLine.text(problem.reason))\n")
    }

    /// People are told how many.
    func skipped(_ new: NewUpload, known upload: Upload) {
        if isJSON { print(JSONLine.text(SkippedLine(new, known: upload))) }
    }

    /// - Parameter isList: True if a program was to name files.
    func nothingFound(inList isList: Bool) {
        note(isList ? "the list on standard input is empty" : "there are no files in what was named")
    }

    /// - Parameter count: Of files whose names are not UTF-8.
    func changed(names count: Int) {
        guard count > 0 else { return }
        note(
            count == 1
                ? "a name is not UTF-8: at the server it has \u{FFFD} for what cannot be read"
                : "\(count) names are not UTF-8: at the server they have \u{FFFD} for what cannot be read")
    }

    /// - Parameter ids: Uploads that are known and will not go on by themselves.
    func failedBefore(_ ids: [Upload.ID]) {
        guard !ids.isEmpty else { return }
        let numbers = ids.count <= Self.numbersNamed ? ids.map { "\($0)" }.joined(separator: " ") : "NUMBER…"
        let (have, them) = ids.count == 1 ? ("has", "it") : ("have", "them")
        note(
            "\(ids.count) of what is known already \(have) failed: `ferry retry \(numbers)` tries \(them) again"
        )
    }

    private static let numbersNamed = 10

    /// For programs too: it is no line about a file.
    private func note(_ text: String) {
        StandardError.write("\(Notice(kind: .note, text: text).line)\n")
    }

    func wouldAdd(_ new: NewUpload) {
        if isJSON { return print(JSONLine.text(AddedLine(new, id: nil))) }
        let (path, name) = (SafeLine.text(new.path.text), SafeLine.text(new.target.name))
        print("\(ByteFormat.compact(new.identity.size))  \(path) -> \(name)")
    }

    func added(_ new: NewUpload, _ id: Upload.ID) {
        if isJSON { print(JSONLine.text(AddedLine(new, id: id))) }
    }

    /// - Parameters:
    ///   - count: How many of `chosen` the queue took or would take.
    ///   - found: Files that could be added.
    ///   - problems: Files that could not.
    ///   - remarks: What else is to be told.
    func sum(
        _ chosen: [NewUpload], count: Int, of found: Int, to destination: Destination, problems: Int,
        dryRun: Bool, remarks: [String]
    ) {
        guard !isJSON else { return }
        // Somebody else may have been adding the same: then it is not known here which of them these were.
        let isAll = count == chosen.count
        let total = chosen.reduce(ByteCount(0)) { sum, upload in
            let (total, overflow) = sum.addingReportingOverflow(upload.identity.size)
            return overflow ? .max : total
        }
        let place = destination.name.isEmpty ? destination.url : destination.name
        print(
            "\(dryRun ? "would add" : "added") \(count) \(count == 1 ? "file" : "files"), "
                + (isAll ? "\(ByteFormat.sentence(total)), " : "") + "to \(SafeLine.text(place))"
                + (found > count ? "; \(found - count) known already" : "")
                + (problems > 0 ? "; \(problems) left out" : "")
                + remarks.map { "; \(SafeLine.text($0))" }.joined())
    }
}
