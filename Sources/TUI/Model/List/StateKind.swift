import FerryUploads

/// The states of uploads as rows and filters tell them apart.
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
