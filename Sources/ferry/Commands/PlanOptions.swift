import ArgumentParser
import FerryFiles
import FerryUploads

/// Options that say when the added uploads start, and which batch they belong to.
struct PlanOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Start when these uploads are done: numbers and ranges with commas, such as 1,3-7.",
            valueName: "numbers"),
        transform: { try UploadNumbers(arguments: [$0]) })
    var after: UploadNumbers?

    @Option(
        help: ArgumentHelp(
            "Do not start before: \(StartTime.forms), in local time.", valueName: "time")
    )
    var at: String?

    @Option(
        help: ArgumentHelp(
            "The batch of these uploads. Commands such as pause, retry, list and wait take its name.",
            valueName: "name"))
    var batch: String?

    func validate() throws {
        if let issue = batch.flatMap(Upload.issue(ofBatch:)) {
            throw ValidationError("The name after --batch \(issue).")
        }
    }

    /// The time of `--at`; nil if the option is missing.
    ///
    /// - Throws: `CommandFailure` if it is not a time. The check is not part of parsing, whose error would print the
    ///   usage.
    func moment(now: Date) throws(CommandFailure) -> Date? {
        guard let at else { return nil }
        guard let date = StartTime.date(at, now: now) else {
            throw CommandFailure(usage: StartTime.error(in: at))
        }
        return date
    }

    /// The condition of the start; nil if there is none.
    ///
    /// - Parameter moment: The time of `--at`.
    func condition(at moment: Date?, now: Date) -> Upload.StartCondition? {
        let date = moment.flatMap { $0 > now ? $0 : nil }
        guard after != nil || date != nil else { return nil }
        return Upload.StartCondition(notBefore: date, after: after?.ranges ?? [])
    }

    /// The remarks to print with the added uploads.
    func remarks(at moment: Date?, now: Date, isPaused: Bool) -> [String] {
        var remarks: [String] = []
        if let condition = condition(at: moment, now: now) {
            remarks.append("to start \(condition.words(\.shortMoment))")
        }
        if let moment, moment <= now {
            remarks.append("\(moment.shortMoment) is past, so it is ignored")
        }
        if isPaused, let batch {
            remarks.append("paused as batch \(batch) is: `ferry resume --batch \(Self.quoted(batch))`")
        }
        return remarks
    }

    /// Quotes a word for the shell where it needs that.
    static func quoted(_ word: String) -> String {
        word.wholeMatch(of: /[A-Za-z0-9._\/-]+/) != nil
            ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }
}
