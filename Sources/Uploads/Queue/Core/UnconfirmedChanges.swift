import FerryProtocols

/// The number that identifies an append to the journal until its result.
package typealias Ticket = Int

/// The changes of each upload that are not on disk yet. Most uploads have none.
struct UnconfirmedChanges {
    /// The command that changes or removes an upload, until the result of its record is known. Until then, the upload
    /// does not start, and no other record of it is written. That record would contain a change that may be refused, or
    /// restore a removed upload.
    private var inFlight: [Upload.ID: Ticket] = [:]
    /// The state to display for an upload that has ended in memory, until its end is on disk.
    private var ended: [Upload.ID: Upload.State] = [:]
    /// The uploads whose record the disk refused.
    var dirty = DirtySet()

    /// True if the end of every ended upload is on disk, and `dirty` is empty.
    var isSettled: Bool { ended.isEmpty && dirty.isEmpty }
    /// The uploads that have ended in memory, while their end is not on disk.
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

    /// Notes that an upload ended in memory, and the state it had before.
    mutating func hide(_ id: Upload.ID, before: Upload.State) { ended[id] = before }

    /// Notes that the end of an upload is on disk, or cannot be written now.
    mutating func reveal(_ id: Upload.ID) { ended[id] = nil }

    mutating func forget(_ id: Upload.ID) {
        ended[id] = nil
        dirty.remove(id)
    }

    /// Returns the upload in its state before its end, while that end is not on disk: after a crash, the upload would
    /// run again. Returns nil for any other upload.
    func shown(_ upload: Upload) -> Upload? {
        switch (upload.state, ended[upload.id]) {
        case (.done, let before?), (.failed, let before?), (.held, let before?):
            var shown = upload
            shown.state = before
            return shown
        default: return nil
        }
    }
}
