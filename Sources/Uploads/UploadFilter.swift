/// A filter for a list of uploads. An empty filter selects all.
package struct UploadFilter: Hashable, Codable, Sendable {
    /// The names of the states (`Upload.State.kind`); empty for any.
    package var states: Set<String>
    /// The batch of the uploads. Nil selects all uploads, including those without a batch.
    package var batch: String?

    package init(states: Set<String> = [], batch: String? = nil) {
        self.states = states
        self.batch = batch
    }

    package func chooses(_ upload: Upload) -> Bool {
        (states.isEmpty || states.contains(upload.state.kind)) && (batch == nil || upload.batch == batch)
    }
}
