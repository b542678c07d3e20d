import Foundation
import Transfer
import UploadProtocols
import Uploads

extension News {
    /// A line about one upload: its number, what became of it, its name, and what matters then.
    var sentence: String {
        let name = PlainText.name(upload)
        switch kind {
        case .added: return line("added", [name, amount, destination])
        case .resumed: return line("resumed", [name])
        case .queuedAgain: return line("queued again", [name])
        case .began:
            return line(upload.tries.attempts > 1 ? "began again" : "began", [name, amount, destination])
        case .wentOn: return line("went on", [name, "from \(share) of \(amount)"])
        case .done: return line("done", [name] + outcome)
        case .paused: return line("paused", [name, reached > 0 ? "at \(share)" : nil])
        case .offline: return line("waits for the network", [name])
        case .removed: return line("removed", [name])
        case .waits, .held, .failed: return line(word, [name]) + trouble
        }
    }

    private func line(_ word: String, _ parts: [String?]) -> String {
        "\(upload.id) \(word): \(parts.compactMap { $0 }.joined(separator: ", "))"
    }

    private var word: String {
        switch kind {
        case .waits: "is tried again \(wait)"
        case .held: "is held"
        default: "failed"
        }
    }

    private var wait: String {
        guard case .waiting(let until, _) = upload.state else { return "later" }
        return Wording.wait(until.timeIntervalSince(clock.date))
    }

    private var trouble: String { PlainText.trouble(upload).map { ": \($0)" } ?? "" }

    private var amount: String { ByteFormat.sentence(upload.size) }

    private var share: String { "\(Wording.percent(reached, of: upload.size))%" }

    private var destination: String? {
        upload.target.destination.isEmpty ? nil : "to \(upload.target.destination)"
    }

    /// `4.1 GB in 2 min 31 s, 9.8 MB/s, verified (MD5)`.
    private var outcome: [String?] {
        guard case .done(let receipt, _) = upload.state else { return [] }
        if receipt.wasThere { return [amount, "was there already"] }
        var took: [String?] = [amount]
        if receipt.duration >= 0.05, upload.size > 0 {
            took = [
                "\(amount) in \(PlainText.duration(receipt.duration))",
                ByteFormat.rate(Double(upload.size) / receipt.duration),
            ]
        }
        return took + [
            receipt.verified.map { "verified (\($0.shown))" } ?? "not verified",
            upload.mayBeDuplicate ? "maybe there twice" : nil,
            receipt.source.map { "the file was \($0.rawValue) meanwhile" },
        ]
    }
}
