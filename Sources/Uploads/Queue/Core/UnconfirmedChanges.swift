import FerryProtocols

/// The number that identifies an append to the journal until the journal reports the result.
package typealias Ticket = Int

/// The changes of each upload that are not on disk yet. Most uploads have none.
struct UnconfirmedChanges {
    /// The ticket of the journal record with which a command changes an upload or depends on it. The entry stays until
    /// the journal reports the result. Until then, the upload does not start, and no other record of it is written.
    /// Another record could restore a removed upload, or contain a change that the journal then refuses.
    private var inFlight: [Upload.ID: Ticket] = [:]
    /// The uploads that have ended in memory, each with its state before the end. Clients see the earlier state until
    /// `reveal` is called.
    private var ended: [Upload.ID: Upload.State] = [:]
    /// The uploads whose current state is not on disk, for example because the disk refused to write it.
    var dirty = DirtySet()

    var isSettled: Bool { ended.isEmpty && dirty.isEmpty }
    var endedIDs: some Collection<Upload.ID> { ended.keys }

    func isInFlight(_ id: Upload.ID) -> Bool { inFlight[id] != nil }
    func hasEnded(_ id: Upload.ID) -> Bool { ended[id] != nil }

    /// Records that the journal is writing the record of a command on these uploads.
    mutating func begin(_ ids: some Sequence<Upload.ID>, _ ticket: Ticket) {
        for id in ids { inFlight[id] = ticket }
    }

    /// Removes the ticket from these uploads, because the result of its record is known. An upload with a different
    /// ticket keeps that ticket.
    mutating func end(_ ids: some Sequence<Upload.ID>, _ ticket: Ticket) {
        for id in ids where inFlight[id] == ticket { inFlight[id] = nil }
    }

    /// Records that an upload has ended, but its end is not on disk yet. Until `reveal` is called, clients see the
    /// earlier state `before`.
    mutating func hide(_ id: Upload.ID, before: Upload.State) { ended[id] = before }

    /// Shows the end of an upload to clients from now on. The end is on disk, or cannot be written now.
    mutating func reveal(_ id: Upload.ID) { ended[id] = nil }

    mutating func forget(_ id: Upload.ID) {
        ended[id] = nil
        dirty.remove(id)
    }

    /// Returns an ended upload with its earlier state, which clients see until `reveal` is called. They must not see
    /// the end before it is on disk, because after a crash the upload would run again. Returns nil for any other
    /// upload.
    func shown(_ upload: Upload) -> Upload? {
        guard !ended.isEmpty, let before = ended[upload.id], upload.state.isEnd else { return nil }
        var shown = upload
        shown.state = before
        return shown
    }
}
