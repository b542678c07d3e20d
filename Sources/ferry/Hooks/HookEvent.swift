import TUI
import UploadProtocols
import Uploads

/// Something that happened in a queue and that commands can be hooked to.
enum HookEvent: Equatable, Sendable {
    /// The keys of `hooks`, and the `event` that its commands read.
    enum Name: String, CaseIterable, Sendable {
        case done, failed, held, idle, offline, online, notSaved
    }

    /// An upload has come to an end, which may not be its last.
    enum Outcome: String, CaseIterable, Sendable {
        case done, failed, held

        init?(_ state: Upload.State) {
            switch state {
            case .done: self = .done
            case .failed: self = .failed
            case .held: self = .held
            case .queued, .running, .waiting, .paused: return nil
            }
        }

        var name: Name {
            switch self {
            case .done: .done
            case .failed: .failed
            case .held: .held
            }
        }
    }

    case ended(Outcome, Upload)
    /// Nothing runs and nothing will by itself. How many uploads have come to which end since the last time.
    case idle([Outcome: Int])
    case offline(reason: String)
    case online
    /// The disk refuses what changes.
    case notSaved(UploadFailure?)

    var name: Name {
        switch self {
        case .ended(let outcome, _): outcome.name
        case .idle: .idle
        case .offline: .offline
        case .online: .online
        case .notSaved: .notSaved
        }
    }

    /// Of the upload, if it is about one.
    var upload: Upload.ID? {
        if case .ended(_, let upload) = self { upload.id } else { nil }
    }

    /// What its commands read: one line with the names of `--json`.
    var line: String {
        let event = name.rawValue
        switch self {
        case .ended(_, let upload): return UploadRecordLine(event: event, upload).text
        case .idle(let counts):
            struct Idle: Encodable {
                var event: String
                var counts: [String: Int]
            }
            let named = counts.map { ($0.key.rawValue, $0.value) }
            return JSONLine.text(Idle(event: event, counts: Dictionary(uniqueKeysWithValues: named)))
        case .offline(let reason): return JSONLine.text(["event": event, "reason": reason])
        case .online: return JSONLine.text(["event": event])
        case .notSaved(let failure):
            var members = ["event": event, "text": failure?.summary ?? ""]
            members["hint"] = failure?.hint
            return JSONLine.text(members)
        }
    }
}
