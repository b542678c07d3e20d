import FerryProtocols
import FerryUploads

/// The text of `ferry check` about one destination: a line with its name, then a line for each result.
enum CheckText {
    /// - Parameters:
    ///   - headed: True if the caller has printed the line with the name.
    ///   - namesNone: True for the line `leftover none known` if there are none.
    static func block(
        _ result: CheckResult, headed: Bool = false, namesNone: Bool = false, now: Date = Date()
    ) -> String {
        var lines: [(String, String)] = []
        if let failure = result.failure {
            lines.append(("error", failure.summary))
            if let hint = failure.hint { lines.append(("hint", hint)) }
        }
        lines.append(("protocol", protocolSentence(result, now: now)))
        if result.failure == nil, let entry = result.entry {
            lines.append(("can", abilities(entry.traits, of: result)))
        }
        lines += result.findings.map { ("found", $0) }
        let offered = offers(result.known)
        if !offered.isEmpty { lines.append(("offers", offered.joined(separator: "; "))) }
        if namesNone, result.failure == nil, result.leftovers.isEmpty {
            lines.append(("leftover", "none known"))
        }
        var text = lines.map { "  \(UploadText.padded($0.0, 9)) \(SafeLine.text($0.1))\n" }.joined()
        text += result.leftovers.map { leftover($0, now: now) + "\n" }.joined()
        if result.leftovers.contains(where: { if case .isThere = $0.disposition { true } else { false } }) {
            text += "  \(SafeLine.text(removal(result.destination)))\n"
        }
        return (headed ? "" : head(result)) + text
    }

    static func head(_ result: CheckResult) -> String {
        let url = UploadAddress.withoutQuery(result.destination.url)
        let name = result.destination.name
        return SafeLine.text(name.isEmpty ? url : "\(name)  \(url)") + "\n"
    }

    static func leftover(_ leftover: CheckResult.Leftover, now: Date = Date()) -> String {
        let found = leftover.leftover
        let size = found.size.map { ", \(ByteFormat.sentence($0))" } ?? ""
        let moments = [
            ("begun", found.begun), ("changed", found.changed), ("given up", leftover.abandoned?.since),
        ]
        let ages = moments.map { word, date in date.map { ", \(word) \(age(of: $0, now: now))" } ?? "" }
            .joined()
        let remark: String =
            switch leftover.disposition {
            case .isThere: ""
            case .own(let id): "; it is upload \(id) of the queue and stays"
            case .deletedSoon: "; its upload was just removed, and the running engine deletes it in a moment"
            case .removed: "; removed"
            case .stays(let failure): "; it is still there: \(failure.summary)"
            }
        return SafeLine.text("  leftover  \(found.name)\(size)\(ages)\(remark)")
    }

    /// Returns the age of a date in words, such as `3 hours ago`; `now` below a minute, and for impossible dates.
    static func age(of date: Date, now: Date) -> String {
        let seconds = now.timeIntervalSince(date)
        let units = [(86_400.0, "day"), (3600, "hour"), (60, "minute")]
        guard seconds.isFinite, seconds < 1e11, let (length, name) = units.first(where: { seconds >= $0.0 })
        else { return "now" }
        let count = Int(seconds / length)
        return "\(count) \(name)\(count == 1 ? "" : "s") ago"
    }

    private static func protocolSentence(_ result: CheckResult, now: Date) -> String {
        let name = result.destination.protocolName
        let asked = result.known?.asked.map { "; asked \(age(of: $0, now: now))" } ?? ""
        guard let choice = result.known?.choice else {
            return (name == AutoUpload.name ? "auto, not known yet" : name) + asked
        }
        return choice.sentence + asked
    }

    private static func abilities(_ traits: ProtocolTraits, of result: CheckResult) -> String {
        var parts = [result.resumes == true ? "resume after a crash" : "start again from 0 after a crash"]
        parts.append(
            result.isParallel == true ? "send several requests at once" : "send one request at a time")
        let offered = result.checksums ?? []
        let checksums = DigestAlgorithm.allCases.filter(offered.contains).map(\.rawValue)
        if !checksums.isEmpty { parts.append("checksum \(checksums.joined(separator: ", "))") }
        let existing = ExistingFilePolicy.allCases.filter(traits.existing.contains).map(\.rawValue)
        if !existing.isEmpty { parts.append("ifExists \(existing.joined(separator: ", "))") }
        return parts.joined(separator: "; ")
    }

    private static func offers(_ known: ServerCapabilities?) -> [String] {
        var offers: [String] = []
        if let known, !known.extensions.isEmpty {
            offers.append(known.extensions.sorted().joined(separator: ", "))
        }
        if let size = known?.maximumSize { offers.append("files up to \(ByteFormat.sentence(size))") }
        return offers
    }

    private static func removal(_ destination: Destination) -> String {
        let target = destination.name.isEmpty ? UploadAddress.withoutQuery(destination.url) : destination.name
        return "`ferry check \(ShellWord.quoted(target)) --remove-leftovers` removes leftovers"
    }
}
