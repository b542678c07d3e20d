import FerryUploads

/// The tabs of the queue, in the sequence of their keys 1 to 6.
enum Tab: Int, CaseIterable, Hashable, Sendable {
    case all, active, queued, paused, failed, done

    /// Creates the tab besides `all` that shows uploads in this state.
    init(_ state: Upload.State) {
        self =
            switch StateKind(state) {
            case .queued: .queued
            // Uploads that wait for the network resume by themselves.
            case .running, .waiting, .offline: .active
            case .paused: .paused
            case .held, .failed: .failed
            case .done: .done
            }
    }

    func shows(_ upload: Upload) -> Bool { self == .all || self == Tab(upload.state) }

    var title: String { "\(self)".capitalized }
}

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
