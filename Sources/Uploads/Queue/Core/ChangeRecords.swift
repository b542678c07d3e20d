import FerryProtocols

/// The changes of uploads that one journal record contains. The record of a pause or resume of many uploads has their new
/// state only once, with the numbers of the uploads.
struct ChangeRecords {
    private var whole: [QueueChange] = []
    private var state: (new: Upload.State, ids: [Upload.ID])?
    private let isOfState: Bool
    private let fewest: Int

    /// - Parameter fewest: The lowest number of uploads whose new state is written once. Earlier versions of Ferry cannot
    ///   read such a record.
    init(of change: UploadChange, fewest: Int) {
        isOfState = change.isOfState
        self.fewest = fewest
    }

    /// Adds the state of `upload` alone. Returns false, and adds nothing, if other values of it are possibly not on disk.
    mutating func addState(of upload: Upload, before: Upload.State) -> Bool {
        guard isOfState, before == .queued || before == .paused(.user),
            state.map({ $0.new == upload.state }) ?? true
        else { return false }
        state = state ?? (upload.state, [])
        state?.ids.append(upload.id)
        return true
    }

    mutating func add(_ upload: Upload) { whole.append(.set(upload)) }

    /// Returns the changes. If there are few, each has the whole upload, which is then in `uploads`.
    func changes(in uploads: QueueTable) -> [QueueChange] {
        guard let state else { return whole }
        guard state.ids.count < fewest else { return whole + [.setState(state.ids, state.new)] }
        return whole + state.ids.compactMap { uploads[$0].map(QueueChange.set) }
    }
}
