public import UploadProtocols
public import Uploads

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

    /// Without a final stop.
    public var sentence: String {
        switch self {
        case .online: "the network is back; uploads go on where they were"
        case .offline(let reason): "no network (\(reason)); uploads wait, nothing is lost"
        case .storage(.saved, _): "saved again: everything is on disk"
        case .storage(_, let failure): failure.map(Self.sentence) ?? "changes are not saved"
        case .contact(.lost): "the engine has gone; nothing it acknowledged is lost"
        case .contact(.here): "an engine is there again"
        case .notice(let failure): Self.sentence(failure)
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
        told = status
        return changes
    }
}
