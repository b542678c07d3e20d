import ArgumentParser
import FerryUploads
import Foundation

/// When what is added starts, and which batch it belongs to.
struct PlanOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Start when these uploads are done: their numbers with commas between them; 3-7 for those from 3 to 7.",
            valueName: "numbers"),
        transform: { try UploadNumbers(arguments: [$0]) })
    var after: UploadNumbers?

    @Option(
        help: ArgumentHelp(
            "Start then and not before: \(StartTime.forms), by the clock of this machine.", valueName: "time")
    )
    var at: String?

    @Option(
        help: ArgumentHelp(
            "The batch it belongs to, by whose name it is paused, resumed, tried again, removed, listed and waited for.",
            valueName: "name"))
    var batch: String?

    func validate() throws {
        if let flaw = batch.flatMap(Upload.flaw(ofBatch:)) {
            throw ValidationError("The name after --batch \(flaw).")
        }
    }

    /// What `--at` says; nil if it was not given.
    ///
    /// - Throws: `CommandFailure` if that is no moment. Not on parsing, which would tell of it at length.
    func moment(now: Date) throws(CommandFailure) -> Date? {
        guard let at else { return nil }
        guard let date = StartTime.date(at, now: now) else {
            throw CommandFailure(usage: StartTime.flaw(in: at))
        }
        return date
    }

    /// What must be so before the start; nil if nothing must.
    ///
    /// - Parameter moment: What `--at` says.
    func condition(at moment: Date?, now: Date) -> Upload.StartCondition? {
        let date = moment.flatMap { $0 > now ? $0 : nil }
        guard after != nil || date != nil else { return nil }
        return Upload.StartCondition(notBefore: date, after: after?.ranges ?? [])
    }

    /// What is to be told of it beside what was added; empty if nothing is.
    func remarks(at moment: Date?, now: Date, isPaused: Bool) -> [String] {
        var remarks: [String] = []
        if let condition = condition(at: moment, now: now) {
            remarks.append("to start \(condition.words(\.shortMoment))")
        }
        if let moment, moment <= now {
            remarks.append("\(moment.shortMoment) is past, so nothing waits for it")
        }
        if isPaused, let batch {
            remarks.append("paused as batch \(batch) is: `ferry resume --batch \(Self.quoted(batch))`")
        }
        return remarks
    }

    /// As a shell takes it for one word.
    static func quoted(_ word: String) -> String {
        word.wholeMatch(of: /[A-Za-z0-9._\/-]+/) != nil
            ? word : "'\(word.replacingOccurrences(of: "'", with: "'\\''"))'"
    }
}
