import FerryProtocols
import FerryStateSimulation
import Foundation
import Testing

@testable import FerryUploads

struct UnconfirmedChangesTests {
    private var changes = UnconfirmedChanges()

    @Test mutating func `a command is in flight until the disk has confirmed it`() {
        changes.begin([1, 2], 7)
        #expect(changes.isInFlight(1))
        changes.end([1, 2], 7)
        #expect(!changes.isInFlight(1))
    }

    @Test mutating func `the confirmation of another command ends nothing`() {
        changes.begin([1], 7)
        changes.end([1], 6)
        #expect(changes.isInFlight(1))
    }

    @Test mutating func `each of many uploads is in flight until the disk has confirmed their command`() {
        let ids = Array(1...2000).reversed()
        changes.begin(ids, 7)
        changes.begin([3000], 8)
        #expect(changes.isInFlight(1) && changes.isInFlight(2000) && changes.isInFlight(3000))
        #expect(!changes.isInFlight(2001))
        changes.end(ids, 6)
        #expect(changes.isInFlight(1000))
        changes.end(ids, 7)
        #expect(!changes.isInFlight(1000))
        #expect(changes.isInFlight(3000))
    }

    @Test mutating func `an upload that ended is shown as it was until the disk has it`() {
        let done = Upload.make(1, state: .done(Receipt(bytes: 1), at: .distantPast))
        changes.hide(1, before: .queued)
        #expect(changes.shown(done)?.state == .queued)
        #expect(!changes.isSettled)
        changes.reveal(1)
        #expect(changes.shown(done) == nil)
        #expect(changes.isSettled)
    }

    @Test mutating func `an upload that was decided otherwise meanwhile is shown as it is`() {
        changes.hide(1, before: .running(attempt: 1, since: .distantPast))
        #expect(changes.shown(.make(1, state: .queued)) == nil)
    }

    @Test mutating func `a removed upload has nothing to confirm`() {
        changes.hide(1, before: .queued)
        changes.dirty.insert([1])
        changes.forget(1)
        #expect(changes.isSettled)
    }
}
