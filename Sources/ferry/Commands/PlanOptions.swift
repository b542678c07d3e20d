import ArgumentParser
import Foundation
import Uploads

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
            "Start then and not before: \(StartTime.forms), by the clock of this machine.", valueName: "time"),
        transform: { text in
            guard let date = StartTime.date(text, now: Date()) else {
                throw ValidationError("--at '\(text)' is no time; there are \(StartTime.forms).")
            }
            return date
        })
    var at: Date?

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

    /// What must be so before the start; nil if nothing must.
    func condition(now: Date) -> Upload.StartCondition? {
        let date = at.flatMap { $0 > now ? $0 : nil }
        guard after != nil || date != nil else { return nil }
        return Upload.StartCondition(notBefore: date, after: after?.ranges ?? [])
    }

    /// What is to be told of it beside what was added; empty if nothing is.
    func remarks(now: Date, isPaused: Bool) -> [String] {
        var remarks: [String] = []
        if let condition = condition(now: now) {
            remarks.append("to start \(condition.words(\.shortMoment))")
        }
        if let at, at <= now { remarks.append("\(at.shortMoment) is past, so nothing waits for it") }
        if isPaused, let batch {
            remarks.append("paused as batch \(batch) is: `ferry resume --batch \(Self.quoted(batch))`")
        }
        return remarks
    }

    /// As a shell takes it for one word.
    private static func quoted(_ word: String) -> String {
        word.wholeMatch(of: /[A-Za-z0-9._\/-]+/) != nil
            ? word : "'\(word.replacingOccurrences(of: "'", with: "'\\''"))'"
    }
}
