import FerryProtocols
package import FerryUploads

extension StatusChange {
    /// Returns the change as a sentence. `now` decides whether a limit's end is a time or a day.
    package func sentence(at now: Date = Date(), in zone: ZoneRules) -> String {
        switch self {
        case .online: "the network is back; uploads resume where they stopped"
        case .offline(let reason): "no network (\(reason)); uploads wait, nothing is lost"
        case .storage(.saved, _): "saved again: everything is on disk"
        case .storage(_, let failure): failure?.sentence ?? "changes are not saved"
        case .contact(.lost): "the engine has gone; nothing it acknowledged is lost"
        case .contact(.silent): "the engine does not answer; nothing it acknowledged is lost"
        case .contact(.refused(let failure)): failure.summary
        case .contact(.here): "an engine is running again"
        case .notice(let failure): failure.sentence
        case .asked(let pause):
            "\(pause.host) asks to wait (\(pause.status)) until \(Strings.timeOfDay(pause.until, in: zone)); "
                + Strings.waiting(pause.waiting)
        case .happened(let dated): dated.notice.text
        case .limit(let limit): "by the timetable, \(limit.listed(at: now, in: zone))"
        }
    }
}

extension UploadFailure {
    var sentence: String { Strings.joined([summary, hint], by: "; ") }
}
