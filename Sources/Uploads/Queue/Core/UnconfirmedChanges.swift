import FerryProtocols

/// The number that identifies an append to the journal until the journal reports the result.
package typealias Ticket = Int

/// The changes of each upload that are not on disk yet. Most uploads have none.
struct UnconfirmedChanges {
    /// The ticket of the record with which a command changes an upload or depends on it. Until its result, no other
    /// record of the upload is written: it could restore a removed upload, or contain a refused change.
    private var inFlight: [Upload.ID: Ticket] = [:]
    /// The same for records of many uploads, by their tickets. Sorted numbers take less memory than a dictionary.
    private var largeInFlight: [Ticket: [Upload.ID]] = [:]
    /// The number of uploads from which a record counts as one of many.
    private static let many = 1000
    /// The states before their end of the uploads whose end clients do not see yet.
    private var ended: [Upload.ID: Upload.State] = [:]
    var dirty = DirtySet()

    var isSettled: Bool { ended.isEmpty && dirty.isEmpty }
    var endedIDs: some Collection<Upload.ID> { ended.keys }

    func isInFlight(_ id: Upload.ID) -> Bool {
        inFlight[id] != nil
            || largeInFlight.values.contains { UploadNumbers.first(in: id...id, of: $0) != nil }
    }
    func hasEnded(_ id: Upload.ID) -> Bool { ended[id] != nil }

    mutating func begin(_ ids: some Sequence<Upload.ID>, _ ticket: Ticket) {
        guard ids.underestimatedCount < Self.many else {
            largeInFlight[ticket] = ids.sorted()
            return
        }
        for id in ids { inFlight[id] = ticket }
    }

    /// Removes the ticket, whose result is known, from those of these uploads that still have it.
    mutating func end(_ ids: some Sequence<Upload.ID>, _ ticket: Ticket) {
        guard largeInFlight.removeValue(forKey: ticket) == nil else { return }
        for id in ids where inFlight[id] == ticket { inFlight[id] = nil }
    }

    /// Lets clients see the state `before` of an upload, whose end is not on disk yet, until `reveal` is called.
    mutating func hide(_ id: Upload.ID, before: Upload.State) { ended[id] = before }

    mutating func reveal(_ id: Upload.ID) { ended[id] = nil }

    mutating func forget(_ id: Upload.ID) {
        ended[id] = nil
        dirty.remove(id)
    }

    /// Returns an upload whose end is not on disk yet with its earlier state: after a crash, it would run again.
    func shown(_ upload: Upload) -> Upload? {
        guard !ended.isEmpty, let before = ended[upload.id], upload.state.isEnd else { return nil }
        var shown = upload
        shown.state = before
        return shown
    }
}
