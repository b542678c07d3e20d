import FerryUploads

/// The state of an upload without its details, for rows and filters.
enum StateKind: CaseIterable, Hashable, Sendable {
    case queued, running, waiting, offline, paused, held, failed, done

    init(_ state: Upload.State) {
        self =
            switch state {
            case .queued: .queued
            case .running: .running
            case .waiting: .waiting
            case .paused(.offline): .offline
            case .paused: .paused
            case .held: .held
            case .failed: .failed
            case .done: .done
            }
    }
}
