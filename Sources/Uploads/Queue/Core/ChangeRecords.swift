import FerryProtocols

/// The changes of uploads that one journal record contains. If it changes the states of many uploads, the record
/// contains each new state once, with the numbers of its uploads.
struct ChangeRecords {
    private var uploads: [QueueChange] = []
    private var states: [(state: Upload.State, ids: [Upload.ID])] = []
    private let isShort: Bool

    /// - Parameters:
    ///   - count: The number of uploads that the change can affect.
    ///   - fewest: The lowest number from which the record is short: earlier versions of Ferry cannot read it.
    init(of change: UploadChange, count: Int, isShortFrom fewest: Int) {
        isShort = change.isOfState && count >= fewest
    }

    /// Adds the state of `upload` alone. Returns false, and adds nothing, if other values of it are possibly not on disk.
    mutating func addState(of upload: Upload, before: Upload.State) -> Bool {
        guard isShort else { return false }
        switch before {
        // An attempt changes other values too, not all of which are written at once.
        case .running, .waiting, .held, .done, .failed: return false
        case .queued, .paused: break
        }
        if let index = states.firstIndex(where: { $0.state == upload.state }) {
            states[index].ids.append(upload.id)
        } else {
            states.append((upload.state, [upload.id]))
        }
        return true
    }

    mutating func add(_ upload: Upload) { uploads.append(.set(upload)) }

    var all: [QueueChange] { uploads + states.map { .setState($0.ids, $0.state) } }
}
