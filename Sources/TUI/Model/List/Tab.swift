import FerryUploads

/// The tabs of the queue, in the order of their keys 1 to 6.
enum Tab: Int, CaseIterable, Hashable, Sendable {
    case all, active, queued, paused, failed, done

    /// Makes the tab besides `all` that shows uploads in this state.
    init(_ state: Upload.State) {
        self =
            switch state {
            case .queued: .queued
            // What waits for the network goes on by itself.
            case .running, .waiting, .paused(.offline): .active
            case .paused: .paused
            case .held, .failed: .failed
            case .done: .done
            }
    }

    func shows(_ upload: Upload) -> Bool { self == .all || self == Tab(upload.state) }

    var title: String {
        switch self {
        case .all: "All"
        case .active: "Active"
        case .queued: "Queued"
        case .paused: "Paused"
        case .failed: "Failed"
        case .done: "Done"
        }
    }
}
