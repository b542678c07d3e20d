import FerryProtocols
import FerryUploads

/// The sentences about an event, for the log, and for the plain lines that can replace the screen.
extension UploadEvent {
    /// The event with the upload's number for commands: `upload 7 done: film.mov, 4 MiB in 2.5 s, 1.6 MiB/s`.
    var sentence: String {
        let line =
            "upload \(upload.id) \(phrase): \(([PlainText.name(upload)] + facts).joined(separator: ", "))"
        guard kind.isTrouble, let trouble = PlainText.trouble(upload) else { return line }
        return "\(line): \(trouble)"
    }

    /// The event for the screen: `film.mov done: 4 MiB in 2.5 s, 1.6 MiB/s`.
    var named: String {
        let rest = kind.isTrouble ? trouble : facts.joined(separator: ", ")
        // The share of a paused or resumed upload continues the sentence: `film.mov resumed at 42% of 64 MiB`.
        let separator = [.continued, .paused].contains(kind) ? " " : ": "
        return "\(PlainText.name(upload)) \(phrase)" + (rest.isEmpty ? "" : separator + rest)
    }

    private var phrase: String {
        switch kind {
        case .added: "added"
        case .resumed, .continued: "resumed"
        case .queuedAgain: "queued again"
        case .began: upload.tries.attempts > 1 ? "started again" : "started"
        case .done: "done"
        case .paused: "paused"
        case .offline: "waits for the network"
        case .removed: "removed"
        case .waits: "retrying \(wait)"
        case .held: "is held"
        case .failed: "failed"
        }
    }

    private var facts: [String] {
        switch kind {
        case .added, .began: [amount] + destination
        case .continued: ["at \(share) of \(amount)"]
        case .paused: reached > 0 ? ["at \(share)"] : []
        case .done: outcome
        case .resumed, .queuedAgain, .offline, .removed, .waits, .held, .failed: []
        }
    }

    /// The message of the failure, with the next step if the upload does not retry by itself.
    private var trouble: String {
        guard let failure = upload.failure else { return "" }
        return kind == .waits
            ? RowAppearance.sentence(failure, of: upload) : RowAppearance.advice(failure, of: upload)
    }

    private var wait: String {
        guard case .waiting(let until, _) = upload.state else { return "later" }
        return Strings.wait(until.timeIntervalSince(date))
    }

    private var amount: String { ByteFormat.sentence(upload.size) }

    private var share: String { "\(Strings.percent(reached, of: upload.size))%" }

    private var destination: [String] {
        upload.target.destination.isEmpty ? [] : ["to \(upload.target.destination)"]
    }

    /// The facts about a done upload: `4.1 GiB in 2 min 31 s`, `9.8 MiB/s`, `verified (MD5)`.
    private var outcome: [String] {
        guard case .done(let receipt, _) = upload.state else { return [] }
        if receipt.wasThere { return [amount, "was there already"] }
        // The duration covers only the last attempt, so it is left out if the upload was resumed.
        let isTimed = receipt.duration >= 0.05 && upload.size > 0 && upload.tries.resumes == 0
        let facts: [String?] = [
            isTimed ? "\(amount) in \(PlainText.duration(receipt.duration))" : amount,
            isTimed ? ByteFormat.rate(Double(upload.size) / receipt.duration) : nil,
            receipt.verified.map { "verified (\($0.shown))" },
            upload.mayBeDuplicate ? "maybe there twice" : nil,
            receipt.source.map { "the file was \($0.rawValue) meanwhile" },
        ]
        return facts.compactMap(\.self)
    }
}
