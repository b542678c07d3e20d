import FerryProtocols

/// The number of an append to the journal.
package typealias Ticket = Int

/// The changes of each upload that the disk has not confirmed. Most uploads have none.
struct UnconfirmedChanges {
    /// The command that changes or removes an upload, until the disk has answered. Nothing starts on the strength of
    /// such a command, and no other record is written of the upload: it would hold what may yet be refused, or bring
    /// back what is removed.
    private var inFlight: [Upload.ID: Ticket] = [:]
    /// The state that is shown of an upload that ended in memory, until that is on disk.
    private var ended: [Upload.ID: Upload.State] = [:]
    /// The uploads of which the disk refused a record.
    var dirty = DirtySet()

    /// True while nothing that ended waits for the disk, and nothing is refused.
    var isSettled: Bool { ended.isEmpty && dirty.isEmpty }
    /// The uploads that ended and are not shown so yet.
    var endedIDs: some Collection<Upload.ID> { ended.keys }

    func isInFlight(_ id: Upload.ID) -> Bool { inFlight[id] != nil }
    func hasEnded(_ id: Upload.ID) -> Bool { ended[id] != nil }

    /// Notes that a command about these is on its way to the disk.
    mutating func begin(_ ids: some Sequence<Upload.ID>, _ ticket: Ticket) {
        for id in ids { inFlight[id] = ticket }
    }

    /// Notes that the disk has answered.
    mutating func end(_ ids: some Sequence<Upload.ID>, _ ticket: Ticket) {
        for id in ids where inFlight[id] == ticket { inFlight[id] = nil }
    }

    /// Notes that an upload ended in memory, and the state it had before.
    mutating func hide(_ id: Upload.ID, before: Upload.State) { ended[id] = before }

    /// Notes that the end of an upload is on disk, or cannot be written now.
    mutating func reveal(_ id: Upload.ID) { ended[id] = nil }

    /// Forgets an upload that is removed.
    mutating func forget(_ id: Upload.ID) {
        ended[id] = nil
        dirty.remove(id)
    }

    /// The upload as others see it: one that a crash could make run again is not over yet.
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
