import FerryProtocols

/// The number of an append to the journal.
package typealias Ticket = Int

/// The changes of each upload that the disk has not confirmed. Most uploads have none.
struct UnconfirmedChanges {
    /// The command that changes or removes an upload, until its result is known. Nothing starts because of such a
    /// command, and no other record of the upload is written: that record would contain changes that may be refused, or
    /// restore a removed upload.
    private var inFlight: [Upload.ID: Ticket] = [:]
    /// The displayed state of an upload that ended in memory, until the end is on disk.
    private var ended: [Upload.ID: Upload.State] = [:]
    /// The uploads whose record the disk refused.
    var dirty = DirtySet()

    /// True while no ended upload waits for the disk, and nothing is refused.
    var isSettled: Bool { ended.isEmpty && dirty.isEmpty }
    /// The uploads that ended and do not show it yet.
    var endedIDs: some Collection<Upload.ID> { ended.keys }

    func isInFlight(_ id: Upload.ID) -> Bool { inFlight[id] != nil }
    func hasEnded(_ id: Upload.ID) -> Bool { ended[id] != nil }

    /// Notes that a command on these uploads is being written.
    mutating func begin(_ ids: some Sequence<Upload.ID>, _ ticket: Ticket) {
        for id in ids { inFlight[id] = ticket }
    }

    /// Notes the result of the disk.
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

    /// Returns the upload as others see it: an upload that a crash could make run again has not ended yet.
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
