public import FerryProtocols
public import FerryUploads
public import Foundation

/// What a status of the engine tells that the one before it did not, for those who write it down line by line.
public enum StatusChange: Hashable, Sendable {
    case online
    /// With the reason, a part of a sentence.
    case offline(String)
    /// What is saved of the changes is another than before; the failure says why, unless all is saved.
    case storage(EngineStatus.Storage, UploadFailure?)
    /// The engine that told all this is gone, or one is there again.
    case contact(EngineStatus.Contact)
    /// Something else that a person should know.
    case notice(UploadFailure)
    /// A server wants to be left alone for a while, or for longer than it said before.
    case asked(AskedPause)
    /// A timetable has come to another limit; those that people order they know.
    case limit(BandwidthLimit)
    /// Something happened beside the queue.
    case happened(DatedNotice)

    /// True of what happened once, and is not so now or later.
    public var isPast: Bool {
        if case .happened = self { true } else { false }
    }

    /// Without a final stop.
    ///
    /// - Parameters:
    ///   - now: From a day on, a moment has its day of the week.
    ///   - zone: Where the clock is that times of day are told by.
    public func sentence(at now: Date = Date(), in zone: TimeZone) -> String {
        switch self {
        case .online: "the network is back; uploads go on where they were"
        case .offline(let reason): "no network (\(reason)); uploads wait, nothing is lost"
        case .storage(.saved, _): "saved again: everything is on disk"
        case .storage(_, let failure): failure.map(Self.sentence) ?? "changes are not saved"
        case .contact(.lost): "the engine has gone; nothing it acknowledged is lost"
        case .contact(.silent): "the engine does not answer; nothing it acknowledged is lost"
        case .contact(.here): "an engine is there again"
        case .notice(let failure): Self.sentence(failure)
        case .asked(let pause):
            "\(pause.host) asks to wait (\(pause.status)) until \(Wording.timeOfDay(pause.until, in: zone)); "
                + Wording.waiting(pause.waiting)
        case .happened(let dated): dated.notice.text
        case .limit(let limit): "by the timetable, \(limit.listed(at: now, in: zone))"
        }
    }

    private static func sentence(_ failure: UploadFailure) -> String {
        [failure.summary, failure.hint].compactMap { $0 }.joined(separator: "; ")
    }
}

/// Compares each status with what was told before. An engine that is online and saves everything is no news.
public struct StatusWatch: Sendable {
    private var told = EngineStatus()

    public init() {}

    public mutating func take(_ status: EngineStatus) -> [StatusChange] {
        var changes: [StatusChange] = []
        if status.contact != told.contact { changes.append(.contact(status.contact)) }
        if status.network != told.network {
            switch status.network {
            case .online: changes.append(.online)
            case .offline(_, let reason): changes.append(.offline(reason))
            }
        }
        if status.storage != told.storage {
            changes.append(.storage(status.storage, status.notice))
        } else if status.storage == .saved, let notice = status.notice, notice != told.notice {
            changes.append(.notice(notice))
        }
        for pause in status.askedPauses where isNews(pause) { changes.append(.asked(pause)) }
        for limit in status.limits where isNews(limit) { changes.append(.limit(limit)) }
        changes += status.notices.filter { !told.notices.contains($0) }.map(StatusChange.happened)
        told = status
        return changes
    }

    private func isNews(_ limit: BandwidthLimit) -> Bool {
        let before = told.limits[limit.scope]
        return limit.origin != .command && limit.bandwidth != before.bandwidth
            && (limit.until != nil || before.until != nil && before.origin != .command)
    }

    /// How many wait changes all the time, and when it ends by the clock is told anew each time.
    private func isNews(_ pause: AskedPause) -> Bool {
        guard let known = told.askedPauses.first(where: { $0.host == pause.host }) else { return true }
        return pause.until.timeIntervalSince(known.until) > 1
    }
}
