import FerryTestSupport
import FerryTransfer
import Testing

@testable import FerryUploads

struct StabilityTrackerTests {
    private typealias Instant = ManualClock.Instant

    private let path = LocalPath("/out/a.mov")
    private let start = Instant()

    private func seconds(_ seconds: Double) -> Instant { start.advanced(by: .seconds(seconds)) }

    private func version(_ size: Int, inode: UInt64 = 1, changed: Int64 = 1) -> FileIdentity {
        FileIdentity(device: 1, inode: inode, size: Int64(size), modified: Int64(size), changed: changed)
    }

    private func nextLook(_ files: StabilityTracker<Instant>) -> Instant? {
        var files = files
        return files.nextLook()
    }

    /// Looks at every file that is due, and returns true if one has settled.
    private func settled(_ files: inout StabilityTracker<Instant>, _ now: Instant, _ found: FileIdentity)
        -> Bool
    {
        var isSettled = false
        for path in files.due(at: now) where files.saw(path, found, at: now) { isSettled = true }
        return isSettled
    }

    @Test func `a file that is the same in two looks so far apart has settled`() {
        var files = StabilityTracker<Instant>(settle: .seconds(5))
        files.notice(path, at: start)
        #expect(nextLook(files) == start)
        #expect(!settled(&files, start, version(8)))
        #expect(nextLook(files) == seconds(5))
        #expect(settled(&files, seconds(5), version(8)))
    }

    @Test(arguments: [1, 2, 3])
    func `one that changed waits from then on`(what: Int) {
        let changed = [version(9), version(8, inode: 2), version(8, changed: 2)][what - 1]
        var files = StabilityTracker<Instant>(settle: .seconds(5))
        files.notice(path, at: start)
        #expect(!settled(&files, start, version(8)))
        #expect(!settled(&files, seconds(5), changed))
        #expect(!settled(&files, seconds(9), changed))
        #expect(settled(&files, seconds(10), changed))
    }

    @Test func `an event of a file restarts its settling time, even without a change`() {
        var files = StabilityTracker<Instant>(settle: .seconds(5))
        files.notice(path, at: start)
        #expect(!settled(&files, start, version(8)))
        files.notice(path, at: seconds(4))
        #expect(!settled(&files, seconds(4), version(8)))
        #expect(!settled(&files, seconds(5), version(8)))
        #expect(settled(&files, seconds(9), version(8)))
    }

    @Test func `a look that comes too early settles nothing`() {
        var files = StabilityTracker<Instant>(settle: .seconds(5))
        files.notice(path, at: start)
        let looks = [files.saw(path, version(8), at: start), files.saw(path, version(8), at: seconds(4.9))]
        #expect(looks == [false, false])
        #expect(nextLook(files) == seconds(5))
    }

    @Test func `one that is in use is looked at again, and is still as long as it was`() {
        var files = StabilityTracker<Instant>(settle: .seconds(5))
        files.notice(path, at: start)
        #expect(!settled(&files, start, version(8)))
        #expect(settled(&files, seconds(5), version(8)))
        files.isInUse(path, at: seconds(5))
        #expect(nextLook(files) == seconds(10))
        #expect(settled(&files, seconds(10), version(8)))
        #expect(files.stillness(of: path, at: seconds(10)) == .seconds(10))
    }

    @Test func `one that is gone or was handed on is not looked at`() {
        var files = StabilityTracker<Instant>(settle: .seconds(5))
        files.notice(path, at: start)
        files.forget(path)
        let due = files.due(at: seconds(9))
        #expect(files.count == 0 && nextLook(files) == nil && due.isEmpty)
    }
}
