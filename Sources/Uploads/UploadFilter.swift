/// A filter for a list of uploads. An empty filter chooses all uploads.
package struct UploadFilter: Hashable, Codable, Sendable {
    /// The names of the chosen states, as in `Upload.State.kind`. If the set is empty, the filter chooses all states.
    package var states: Set<String>
    /// The batch (a named group of uploads) of the chosen uploads. If it is nil, the filter chooses uploads of every
    /// batch and uploads without a batch.
    package var batch: String?

    package init(states: Set<String> = [], batch: String? = nil) {
        self.states = states
        self.batch = batch
    }

    package func chooses(_ upload: Upload) -> Bool {
        (states.isEmpty || states.contains(upload.state.kind)) && (batch == nil || upload.batch == batch)
    }
}
