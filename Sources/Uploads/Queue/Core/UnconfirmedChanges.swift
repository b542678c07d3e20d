import FerryProtocols

/// The number that identifies an append to the journal until the journal reports the result.
package typealias Ticket = Int

/// The changes of each upload that are not on disk yet. Most uploads have none.
struct UnconfirmedChanges {
    /// The ticket of the command that changes or removes an upload, until the journal reports the result. Until then,
    /// the upload does not start, and no other record of it is written. Such a record would restore a removed upload,
    /// or contain a change that the journal can still refuse.
    private var inFlight: [Upload.ID: Ticket] = [:]
    /// The state before the end, for each upload that has ended in memory. Clients see this state until `reveal` is
    /// called.
    private var ended: [Upload.ID: Upload.State] = [:]
    /// The uploads whose state must still be written, mostly because the disk refused a record of it.
    var dirty = DirtySet()

    /// True if no end of an upload is being written, and `dirty` is empty.
    var isSettled: Bool { ended.isEmpty && dirty.isEmpty }
    /// The uploads that have ended in memory, but whose end clients do not see yet.
    var endedIDs: some Collection<Upload.ID> { ended.keys }

    func isInFlight(_ id: Upload.ID) -> Bool { inFlight[id] != nil }
    func hasEnded(_ id: Upload.ID) -> Bool { ended[id] != nil }

    /// Notes that the record of a command on these uploads is being written.
    mutating func begin(_ ids: some Sequence<Upload.ID>, _ ticket: Ticket) {
        for id in ids { inFlight[id] = ticket }
    }

    /// Notes that the result of the record with this ticket is known.
    mutating func end(_ ids: some Sequence<Upload.ID>, _ ticket: Ticket) {
        for id in ids where inFlight[id] == ticket { inFlight[id] = nil }
    }

    /// Notes that an upload ended in memory. Clients see the state `before` until `reveal` is called.
    mutating func hide(_ id: Upload.ID, before: Upload.State) { ended[id] = before }

    /// Shows the end of an upload to clients from now on: it is on disk, or cannot be written now.
    mutating func reveal(_ id: Upload.ID) { ended[id] = nil }

    mutating func forget(_ id: Upload.ID) {
        ended[id] = nil
        dirty.remove(id)
    }

    /// Returns the upload with the state before its end, while the end is being written. After a crash such an upload
    /// would run again, so clients must not see the end. Returns nil for any other upload.
    func shown(_ upload: Upload) -> Upload? {
        if ended.isEmpty { return nil }
        switch (upload.state, ended[upload.id]) {
        case (.done, let before?), (.failed, let before?), (.held, let before?):
            var shown = upload
            shown.state = before
            return shown
        default: return nil
        }
    }
}
