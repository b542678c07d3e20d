import Testing

@testable import FerryUploads

struct JournalHealthTests {
    private static let start = ContinuousClock.now
    private static let full = JournalError.diskFull(path: "/state", isQuota: false)
    private var health = JournalHealth()

    @Test mutating func `a full disk is repaired again after five seconds`() {
        health.refuse(Self.full, isAccepting: true, now: Self.start)
        #expect(health.nextRepair == Self.start.advanced(by: .seconds(5)))
    }

    @Test mutating func `an engine that only edits tries nothing again`() {
        health.refuse(Self.full, isAccepting: false, now: Self.start)
        #expect(health.nextRepair == nil)
    }

    @Test mutating func `a repair is not begun twice`() {
        health.refuse(Self.full, isAccepting: true, now: Self.start)
        let later = Self.start.advanced(by: .seconds(5))
        let begun = [health.beginRepair(at: later), health.beginRepair(at: later)]
        #expect(begun == [true, false])
    }

    @Test mutating func `a repair that worked ends the refusal`() {
        health.refuse(Self.full, isAccepting: true, now: Self.start)
        health.repaired(.healthy, hasDirty: false, now: Self.start)
        #expect(!health.isRefused)
        #expect(health.notice(running: 0) == nil)
    }

    @Test mutating func `a disk that takes something, but not what it refused, is repaired again`() {
        health.refuse(Self.full, isAccepting: true, now: Self.start)
        health.repaired(.healthy, hasDirty: true, now: Self.start)
        #expect(health.isRefused)
        #expect(health.nextRepair != nil)
    }
}
