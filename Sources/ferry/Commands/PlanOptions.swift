import ArgumentParser
import FerryUploads

/// The options of `ferry add` that set when the uploads can start, and to which batch they belong.
struct PlanOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Start when these uploads are done: numbers and ranges with commas, such as 1,3-7.",
            valueName: "numbers"),
        transform: { try UploadNumbers(arguments: [$0]) })
    var after: UploadNumbers?

    @Option(help: ArgumentHelp("Do not start before: \(StartTime.forms), in local time.", valueName: "time"))
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

    /// Returns the time of `--at`. The argument parser does not check the text, because it would print the whole usage.
    func moment(now: Date) throws(CommandFailure) -> Date? {
        guard let at else { return nil }
        guard let date = StartTime.date(at, now: now) else {
            throw CommandFailure(usage: StartTime.error(in: at))
        }
        return date
    }

    /// Returns the condition for the start of the uploads, without a past time; nil if they can start at once.
    func condition(at moment: Date?, now: Date) -> Upload.StartCondition? {
        let date = moment.flatMap { $0 > now ? $0 : nil }
        guard after != nil || date != nil else { return nil }
        return Upload.StartCondition(notBefore: date, after: after?.ranges ?? [])
    }

    func pastRemark(of moment: Date?, now: Date) -> String? {
        moment.flatMap { $0 <= now ? "\($0.shortMoment) is past, so it is ignored" : nil }
    }

    func remarks(at moment: Date?, now: Date, isPaused: Bool) -> [String] {
        var remarks: [String] = []
        if let condition = condition(at: moment, now: now) {
            remarks.append("to start \(condition.words(\.shortMoment))")
        }
        if let past = pastRemark(of: moment, now: now) { remarks.append(past) }
        if isPaused, let batch {
            remarks.append("paused as batch \(batch) is: `ferry resume --batch \(ShellWord.quoted(batch))`")
        }
        return remarks
    }
}
