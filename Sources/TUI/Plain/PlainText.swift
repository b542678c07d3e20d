import FerryProtocols
import FerryUploads

/// The texts of the line mode about an upload, not yet escaped.
enum PlainText {
    private static let longestName = 100

    static func name(_ upload: Upload) -> String {
        let name = upload.path.name
        guard name.count > longestName else { return name }
        return "\(name.prefix(longestName - 33))...\(name.suffix(30))"
    }

    static func numbered(_ upload: Upload) -> String { "\(upload.id), \(name(upload))" }

    /// Returns a text about the failure. The user can act on a held or failed upload: the text says how.
    static func trouble(_ upload: Upload) -> String? {
        switch upload.state {
        case .waiting(_, let failure): return RowAppearance.sentence(failure, of: upload)
        case .held(let failure), .failed(let failure):
            if upload.isUncertain { return "\(Uncertainty.happened); \(next(upload))" }
            let hint = RowAppearance.hint(failure, of: upload)
            let next = hint.map { "\($0) (retry \(upload.id))" } ?? "retry \(upload.id) tries again"
            return "\(RowAppearance.sentence(failure, of: upload)); \(next)"
        case .queued, .running, .paused, .done: return nil
        }
    }

    static func next(_ upload: Upload) -> String {
        Uncertainty.next(retry: "retry \(upload.id)", remove: "remove \(upload.id)")
    }

    static func line(_ upload: Upload, in model: Model) -> String {
        "\(upload.id): \(name(upload)), \(ByteFormat.sentence(upload.size)), \(now(upload, in: model))"
    }

    /// Returns the current state of an upload: `running, 63%, 18.4 MiB/s, 42 s left`.
    static func now(_ upload: Upload, in model: Model) -> String {
        let row = RowAppearance(upload, in: model)
        let share = row.part.map { "\(Strings.percent($0, of: upload.size))%" }
        switch upload.state {
        case .queued:
            let start = Strings.start(of: upload, in: model).map { "starts \($0)" }
            return joined([start ?? "queued", share])
        case .running where model.isEngineGone: return joined(["stopped", share, row.messages.first])
        case .running:
            let estimate = model.live.estimates[upload.id]
            return joined([
                row.messages.first ?? "running", share, estimate.rate.map(ByteFormat.rate),
                estimate.remaining.map { "\(duration($0.rounded())) left" }, row.parts.first,
            ])
        case .waiting: return joined(["waiting to retry", share, row.messages.first])
        case .paused(.offline): return joined(["waiting for network", share])
        case .paused: return joined(["paused", share])
        case .held: return joined(["held", share, trouble(upload)])
        case .failed: return joined(["failed", share, trouble(upload)])
        case .done: return joined(["done", row.messages.first, row.remark.isEmpty ? nil : row.remark])
        }
    }

    private static func joined(_ parts: [String?]) -> String { Strings.joined(parts, by: ", ") }

    /// Returns a duration: `0.4 s`, `42 s`, `2 min 31 s`, `1 h 13 min`, `3 days 4 h`, `very long` from 100 days on. A
    /// screen reader would read `2:31` as a time of day.
    static func duration(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 100 * 86_400 else { return "very long" }
        let tenths = Int((max(0, seconds) * 10).rounded())
        if tenths < 100, tenths % 10 != 0 { return "\(tenths / 10).\(tenths % 10) s" }
        let total = Int(max(0, seconds).rounded())
        if total < 60 { return "\(total) s" }
        if total < 3600 { return "\(total / 60) min \(total % 60) s" }
        if total < 86_400 { return "\(total / 3600) h \(total / 60 % 60) min" }
        return "\(Strings.count(total / 86_400, "day")) \(total / 3600 % 24) h"
    }
}
