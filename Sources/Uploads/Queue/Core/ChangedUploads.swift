import FerryProtocols

/// The uploads that a transaction has changed in memory, with the values to restore if the disk refuses the change. A
/// change of the state alone, often of a million uploads, keeps little more than their numbers.
struct ChangedUploads {
    /// A change that restores the upload as a whole.
    struct Whole {
        let before: Upload
        let after: Upload
        /// The end of the wait for a retry, if the upload waited before the change.
        let wakes: ContinuousClock.Instant?
    }

    /// The uploads that had the same state before the change, and have the same one after it.
    struct States {
        let before: Upload.State
        let after: Upload.State
        fileprivate(set) var ids: [Upload.ID]
    }

    private(set) var whole: [Whole] = []
    private(set) var states: [States] = []

    var isEmpty: Bool { whole.isEmpty && states.isEmpty }
    var ids: [Upload.ID] { whole.map(\.after.id) + states.flatMap(\.ids) }

    mutating func add(_ change: Whole) { whole.append(change) }

    /// Adds a new state of an upload that did not wait. Its other values are as before.
    mutating func add(_ id: Upload.ID, before: Upload.State, after: Upload.State) {
        if let index = states.firstIndex(where: { $0.before == before && $0.after == after }) {
            states[index].ids.append(id)
        } else {
            states.append(States(before: before, after: after, ids: [id]))
        }
    }
}
