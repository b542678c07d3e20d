import Transfer
import UploadProtocols
import Uploads

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
