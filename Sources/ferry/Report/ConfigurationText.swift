import FerryProtocols
import FerryTUI
import FerryTransfer
import FerryUploads

/// Formats parts of the configuration as text for `ferry config`.
enum ConfigurationText {
    /// Returns the line about a watched folder:
    /// `/out: to films; only *.mov; not raw; with its folders; whole after 5 s; then moved to /sent`.
    static func line(_ watch: Watch, _ settings: WatchSettings) -> String {
        let parts: [String?] =
            [
                "to \(watch.to)",
                settings.include.isEmpty ? nil : "only \(settings.include.joined(separator: " "))",
                settings.exclude.isEmpty ? nil : "not \(settings.exclude.joined(separator: " "))",
                settings.isRecursive ? "with its folders" : nil,
            ] + treatment(settle: watch.settle, after: watch.after, goal: watch.goal)
        return SafeLine.text("\(watch.folder.path.text): \(parts.compactMap { $0 }.joined(separator: "; "))")
    }

    /// Returns the URL with `…` in place of secrets in its query: `https://server.example/{name}?sig=…`.
    static func address(_ url: String) -> String {
        let shown = Redaction.address(url)
        let query = shown.firstIndex(of: "?").map { shown[$0...] } ?? ""
        return SafeLine.text(UploadAddress.withoutQuery(url) + query)
    }

    /// Returns the line about a timetable: `uploads to films: 2 MiB/s mon-fri 08:00-18:00; else no limit`.
    static func line(_ scope: LimitScope, _ timetable: Timetable) -> String {
        let entries = timetable.entries.map { entry in
            let days = entry.days.count < Timetable.Weekday.allCases.count ? " " + self.days(entry.days) : ""
            return "\(entry.bandwidth.text)\(days) \(entry.from.text)-\(entry.to.text)"
        }
        let rest = (entries.isEmpty ? "" : "else ") + timetable.otherwise.text
        return SafeLine.text("\(scope.text): \((entries + [rest]).joined(separator: "; "))")
    }

    /// Returns the days in the form of a timetable: `mon-fri,sun`.
    private static func days(_ days: Set<Timetable.Weekday>) -> String {
        // For users the week begins on Monday.
        let week = Timetable.Weekday.allCases
        let fromMonday = week.dropFirst() + week.prefix(1)
        return fromMonday.split { !days.contains($0) }.flatMap { run -> [String] in
            guard let first = run.first, let last = run.last, run.count > 2 else { return run.map(\.name) }
            return ["\(first.name)-\(last.name)"]
        }.joined(separator: ",")
    }

    /// Returns texts such as `whole after 5 s` and, unless the file stays, `then moved to /sent`. The parameters are
    /// members of `EngineReport.Watched`.
    static func treatment(settle: Double, after: String, goal: String?) -> [String] {
        let seconds = Int(exactly: settle).map { "\($0) s" } ?? "\(settle) s"
        let end = goal.map { "then moved to \($0)" } ?? (after == "delete" ? "then deleted" : nil)
        return ["whole after \(seconds)", end].compactMap { $0 }
    }
}
