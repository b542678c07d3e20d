package struct UploadFilter: Hashable, Codable, Sendable {
    /// The names of the chosen states, as in `Upload.State.kind`; empty for all states.
    package var states: Set<String>
    /// The batch of the chosen uploads; nil for uploads of any batch or none.
    package var batch: String?

    package init(states: Set<String> = [], batch: String? = nil) {
        self.states = states
        self.batch = batch
    }

    package func chooses(_ upload: Upload) -> Bool {
        (states.isEmpty || states.contains(upload.state.kind)) && (batch == nil || upload.batch == batch)
    }
}
